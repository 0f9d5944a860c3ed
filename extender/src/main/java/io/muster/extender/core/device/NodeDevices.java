package io.muster.extender.core.device;

import io.muster.extender.core.device.Device.Use;
import io.muster.extender.core.device.Offer.Counted;
import io.muster.extender.core.device.Selectors.Verdict;
import io.muster.extender.core.device.Slice.DeviceId;
import io.muster.extender.core.device.Slice.Pool;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Counts the devices of each node by class, as slices, classes, taints and claims change. A device
 * counts for one class of its node at most:
 *
 * <ol>
 *   <li>one that is allocated to a pod for which the ledger counts it: for the class that the claim
 *       names, whatever has become of the device;
 *   <li>one that is allocated to anybody else, or tainted: for none;
 *   <li>any other: for the first class that it meets, those with an extended resource name before
 *       others, then by name.
 * </ol>
 *
 * <p>Each change says which nodes may offer something else than before. Not safe for concurrent
 * use.
 */
public final class NodeDevices {

  private final Selectors selectors;
  private final CountedPods pods;
  private final Pools pools = new Pools();
  private final Claims claims = new Claims();
  private final Map<String, DeviceClass> classes = new HashMap<>();
  private final Map<String, TaintRule> rules = new HashMap<>();

  /** Verdicts on the devices of a slice, in their order, by slice and class. */
  private final Map<String, Map<String, List<Verdict>>> verdicts = new HashMap<>();

  /** The classes in the order in which they get devices. */
  private List<DeviceClass> ordered = List.of();

  /** By class the name under which its devices are counted. */
  private Map<String, String> resources = Map.of();

  /** Slices of nodes that have whole devices of a class, by class. */
  private final Map<String, Set<String>> counted = new HashMap<>();

  /**
   * A class as others need to know it.
   *
   * @param resource name by which its devices are counted
   * @param implicit the name that every class has
   * @param isCounted whether there are devices of it that can be counted, free or not
   */
  public record KnownClass(String resource, String implicit, boolean isCounted) {

    /** Whether pods ask for its devices by an extended resource name. */
    public boolean isExtendedResource() {
      return !resource.equals(implicit);
    }
  }

  /** Nothing yet. */
  public NodeDevices(Selectors selectors, CountedPods pods) {
    this.selectors = selectors;
    this.pods = pods;
  }

  /** A slice was added or has changed. */
  public Set<String> sliceSeen(Slice slice) {
    verdicts.remove(slice.name());
    var touched = pools.seen(slice);
    if (!touched.isEmpty()) {
      classes.values().forEach(each -> note(each, slice));
    }
    return touched;
  }

  /** A slice was deleted. */
  public Set<String> sliceGone(String name) {
    verdicts.remove(name);
    counted.values().forEach(names -> names.remove(name));
    return pools.gone(name);
  }

  /** A class was added or has changed. */
  public Set<String> classSeen(DeviceClass deviceClass) {
    var before = classes.put(deviceClass.name(), deviceClass);
    return deviceClass.equals(before) ? Set.of() : reordered(deviceClass.name());
  }

  /** A class was deleted. */
  public Set<String> classGone(String name) {
    return classes.remove(name) == null ? Set.of() : reordered(name);
  }

  private Set<String> reordered(String changed) {
    var winners = new HashMap<String, String>();
    classes.values().stream()
        .sorted(DeviceClass.NEWEST_FIRST)
        .forEach(it ->
            it.extendedResource().ifPresent(resource -> winners.putIfAbsent(resource, it.name())));
    var names = new HashMap<String, String>();
    classes.values().forEach(it -> names.put(it.name(), it.implicitResource()));
    winners.forEach((resource, winner) -> names.put(winner, resource));
    resources = Map.copyOf(names);
    ordered =
        classes.values().stream()
            .sorted(
                Comparator.comparing((DeviceClass it) -> !winners.containsValue(it.name()))
                    .thenComparing(DeviceClass::name))
            .toList();
    verdicts.values().forEach(ofSlice -> ofSlice.remove(changed));
    counted.remove(changed);
    Optional.ofNullable(classes.get(changed))
        .ifPresent(each -> pools.all().forEach(slice -> note(each, slice)));
    return nodes();
  }

  /** A rule that keeps claims off devices was added or has changed. */
  public Set<String> ruleSeen(TaintRule rule) {
    return rule.equals(rules.put(rule.name(), rule)) ? Set.of() : nodes();
  }

  /** A rule was deleted, or keeps claims off no devices any more. */
  public Set<String> ruleGone(String name) {
    return rules.remove(name) == null ? Set.of() : nodes();
  }

  /** A claim has got devices, others than before, or none. */
  public Set<String> claimSeen(Claim claim) {
    return placed(claims.seen(claim));
  }

  /** A claim was deleted. */
  public Set<String> claimGone(String key) {
    return placed(claims.gone(key));
  }

  /** The pod has come, gone, or ended. */
  public Set<String> podChanged(String uid) {
    return placed(claims.of(uid));
  }

  private Set<String> placed(List<Claim> changed) {
    var touched = new HashSet<String>();
    for (var claim : changed) {
      claim.node().ifPresent(touched::add);
      claim.devices().forEach(it -> touched.addAll(pools.nodes(it.device().pool())));
    }
    return touched;
  }

  private void note(DeviceClass deviceClass, Slice slice) {
    boolean has = false;
    if (slice.node().isPresent()) {
      var found = verdicts(deviceClass, slice);
      for (int i = 0; i < found.size() && !has; i++) {
        has = found.get(i) instanceof Verdict.Meets && slice.devices().get(i).use() == Use.WHOLE;
      }
    }
    var names = counted.computeIfAbsent(deviceClass.name(), _ -> new HashSet<>());
    if (has) {
      names.add(slice.name());
    } else {
      names.remove(slice.name());
    }
  }

  /** Classes by name. */
  public Map<String, KnownClass> known() {
    var known = new HashMap<String, KnownClass>();
    for (var each : classes.values()) {
      known.put(
          each.name(),
          new KnownClass(
              resources.get(each.name()),
              each.implicitResource(),
              !counted.getOrDefault(each.name(), Set.of()).isEmpty()));
    }
    return known;
  }

  private Set<String> nodes() {
    var nodes = new HashSet<>(pools.nodes());
    nodes.addAll(claims.nodes());
    return nodes;
  }

  /** What the node offers now. Takes time by the devices of the node. */
  public Offer offer(String node) {
    if (classes.isEmpty() || !isConcerned(node)) {
      return Offer.NONE;
    }
    var slices = pools.complete(node);
    var uncounted = new HashMap<String, String>();
    var known = new ArrayList<DeviceClass>();
    for (var each : ordered) {
      unknown(each, slices)
          .ifPresentOrElse(why -> uncounted.put(each.name(), why), () -> known.add(each));
    }
    var units = claims.held(node, pods, resources);
    for (var slice : slices) {
      count(slice, known, units, uncounted);
    }
    var counted = new ArrayList<Counted>();
    var reasons = new HashMap<String, String>();
    for (var each : ordered) {
      var resource = resources.get(each.name());
      long found = units.getOrDefault(each.name(), 0L);
      if (found > 0) {
        counted.add(new Counted(resource, each.implicitResource(), found));
      }
      var why = uncounted.get(each.name());
      if (why != null) {
        reasons.put(resource, "DeviceClass " + each.name() + ": " + why);
        reasons.put(each.implicitResource(), "DeviceClass " + each.name() + ": " + why);
      }
    }
    return counted.isEmpty() && reasons.isEmpty() ? Offer.NONE : new Offer(counted, reasons);
  }

  private boolean isConcerned(String node) {
    return pools.nodes().contains(node) || claims.nodes().contains(node);
  }

  private Optional<String> unknown(DeviceClass deviceClass, List<Slice> slices) {
    return slices.stream()
        .flatMap(slice -> verdicts(deviceClass, slice).stream())
        .filter(Verdict.Unknown.class::isInstance)
        .map(verdict -> ((Verdict.Unknown) verdict).why())
        .findFirst();
  }

  private void count(
      Slice slice,
      List<DeviceClass> known,
      Map<String, Long> units,
      Map<String, String> uncounted) {
    for (int i = 0; i < slice.devices().size(); i++) {
      var device = slice.devices().get(i);
      var id = new DeviceId(slice.pool(), device.name());
      boolean isFree =
          !device.tainted()
              && !claims.isAllocated(id)
              && rules.values().stream().noneMatch(rule -> rule.covers(id));
      var owner = Optional.<String>empty();
      for (var each : known) {
        if (!(verdicts(each, slice).get(i) instanceof Verdict.Meets)) {
          continue;
        }
        if (device.use() != Use.WHOLE) {
          uncounted.putIfAbsent(each.name(), device.use().words());
        } else if (owner.isPresent()) {
          uncounted.putIfAbsent(each.name(), "counted for DeviceClass " + owner.get());
        } else {
          owner = Optional.of(each.name());
          units.merge(each.name(), isFree ? 1L : 0L, Long::sum);
        }
      }
    }
  }

  private List<Verdict> verdicts(DeviceClass deviceClass, Slice slice) {
    return verdicts
        .computeIfAbsent(slice.name(), _ -> new HashMap<>())
        .computeIfAbsent(
            deviceClass.name(),
            _ ->
                slice.devices().stream()
                    .map(device -> verdict(deviceClass, slice.pool(), device))
                    .toList());
  }

  private Verdict verdict(DeviceClass deviceClass, Pool pool, Device device) {
    return deviceClass.selectors().isEmpty()
        ? new Verdict.Meets()
        : selectors.verdict(deviceClass, pool.driver(), device);
  }
}
