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
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Counts the devices of each node by class, as slices, classes, taints and claims change. A device
 * counts for one class of its node at most:
 *
 * <ol>
 *   <li>one that is allocated to a pod for which the ledger counts it: for the class that the claim
 *       names, whatever has become of the device; where the ledger has none of that class for the
 *       pod, as after it was deleted or its extended resource name has gone to another, for any of
 *       which the pod has more devices in the ledger than by claims;
 *   <li>one that is allocated to anybody else, or tainted: for none;
 *   <li>any other: for the first class that it meets, those with an extended resource name before
 *       others, then the oldest, then by name.
 * </ol>
 *
 * <p>A class of which all whole devices count for one other is a part of that one: its devices are
 * counted under the other's name, and under its own too, which keeps off nodes that have none.
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

  private final Owners owners = new Owners();

  /** Classes without an extended resource name that are parts of others, and of which. */
  private Map<String, String> partOf = Map.of();

  /**
   * A class as others need to know it.
   *
   * @param resource name by which its devices are counted, with those of the class of which it is a
   *     part
   * @param implicit the name that every class has
   * @param isCounted whether there are devices of it that can be counted, free or not
   */
  public record KnownClass(String resource, String implicit, boolean isCounted) {

    /** Whether pods ask for its devices by an extended resource name. */
    public boolean isExtendedResource() {
      return !resource.startsWith(DeviceClass.IMPLICIT);
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
      note(slice);
    }
    return withParts(touched);
  }

  /** A slice was deleted. */
  public Set<String> sliceGone(String name) {
    verdicts.remove(name);
    owners.gone(name);
    return withParts(pools.gone(name));
  }

  /** A class was added or has changed. */
  public Set<String> classSeen(DeviceClass deviceClass) {
    var before = classes.put(deviceClass.name(), deviceClass);
    return deviceClass.equals(before) ? Set.of() : reordered(deviceClass.name());
  }

  /** A class was deleted. */
  public Set<String> classGone(String name) {
    selectors.forget(name);
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
                    .thenComparing(DeviceClass.OLDEST_FIRST))
            .toList();
    verdicts.values().forEach(ofSlice -> ofSlice.remove(changed));
    owners.clear();
    pools.all().forEach(this::note);
    partOf = parts();
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

  private void note(Slice slice) {
    var ofClasses = new HashMap<String, Set<String>>();
    if (slice.node().isPresent()) {
      for (int i = 0; i < slice.devices().size(); i++) {
        if (slice.devices().get(i).use() == Use.WHOLE) {
          var meeting = meeting(slice, i);
          meeting.forEach(each ->
              ofClasses
                  .computeIfAbsent(each.name(), _ -> new HashSet<>())
                  .add(meeting.getFirst().name()));
        }
      }
    }
    owners.seen(slice.name(), ofClasses);
  }

  /** Classes that the device meets, in the order in which they get it. */
  private List<DeviceClass> meeting(Slice slice, int device) {
    return ordered.stream()
        .filter(each -> verdicts(each, slice).get(device) instanceof Verdict.Meets)
        .toList();
  }

  /** Finds which classes are parts of others; all nodes, where that has changed. */
  private Set<String> withParts(Set<String> touched) {
    var before = partOf;
    partOf = parts();
    if (partOf.equals(before)) {
      return touched;
    }
    var all = new HashSet<>(touched);
    all.addAll(nodes());
    return all;
  }

  private Map<String, String> parts() {
    var parts = new HashMap<String, String>();
    for (var each : ordered) {
      var all = owners.of(each.name());
      if (!hasExtendedResource(each) && all.size() == 1 && !all.contains(each.name())) {
        parts.put(each.name(), all.iterator().next());
      }
    }
    return Map.copyOf(parts);
  }

  private boolean hasExtendedResource(DeviceClass each) {
    return !each.implicitResource().equals(resources.get(each.name()));
  }

  /** That by which all use of its devices is counted. */
  private String resource(DeviceClass each) {
    return resources.get(partOf.getOrDefault(each.name(), each.name()));
  }

  /** That by which its own devices are counted. */
  private String own(DeviceClass each) {
    return partOf.containsKey(each.name()) ? each.implicitResource() : resource(each);
  }

  /**
   * Names under which devices that the pod has of the class count; those of any, where the ledger
   * has none of the class for it: it was deleted, or another has its extended resource name now.
   */
  private Set<String> names(String uid, String node, String deviceClass) {
    var ofClass = Stream.ofNullable(classes.get(deviceClass)).flatMap(this::names);
    var counted =
        ofClass.filter(name -> pods.units(uid, node, name) > 0).collect(Collectors.toSet());
    return counted.isEmpty()
        ? classes.values().stream().flatMap(this::names).collect(Collectors.toSet())
        : counted;
  }

  private Stream<String> names(DeviceClass each) {
    return Stream.of(resource(each), own(each));
  }

  /** Classes by name. */
  public Map<String, KnownClass> known() {
    var known = new HashMap<String, KnownClass>();
    for (var each : classes.values()) {
      known.put(
          each.name(), new KnownClass(resource(each), each.implicitResource(), isCounted(each)));
    }
    return known;
  }

  /** Of a class that is shared out among several others nothing would ever be offered. */
  private boolean isCounted(DeviceClass each) {
    var all = owners.of(each.name());
    return all.contains(each.name())
        || partOf.containsKey(each.name())
        || (!all.isEmpty() && hasExtendedResource(each));
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
    var uncounted = new HashMap<String, String>();
    var units = claims.held(node, pods, (uid, each) -> names(uid, node, each));
    for (var part : pools.on(node)) {
      for (var slice : part.slices()) {
        for (int i = 0; i < slice.devices().size(); i++) {
          if (part.problem().isEmpty()) {
            count(slice, i, units, uncounted);
          } else {
            meeting(slice, i)
                .forEach(each -> uncounted.putIfAbsent(each.name(), part.problem().get()));
          }
        }
      }
    }
    var counted = new ArrayList<Counted>();
    var reasons = new HashMap<String, String>();
    for (var each : ordered) {
      var names = new TreeSet<>(List.of(own(each), each.implicitResource()));
      long found = units.getOrDefault(own(each), 0L);
      if (found > 0) {
        names.forEach(name -> counted.add(new Counted(name, resource(each), found)));
      }
      Optional.ofNullable(uncounted.get(each.name()))
          .ifPresent(why ->
              names.forEach(name -> reasons.put(name, "DeviceClass " + each.name() + ": " + why)));
    }
    return counted.isEmpty() && reasons.isEmpty() ? Offer.NONE : new Offer(counted, reasons);
  }

  private boolean isConcerned(String node) {
    return pools.nodes().contains(node) || claims.nodes().contains(node);
  }

  private void count(
      Slice slice, int number, Map<String, Long> units, Map<String, String> uncounted) {
    for (var each : ordered) {
      if (verdicts(each, slice).get(number) instanceof Verdict.Unknown(var why)) {
        uncounted.putIfAbsent(each.name(), why);
      }
    }
    var device = slice.devices().get(number);
    var meeting = meeting(slice, number);
    if (device.use() != Use.WHOLE) {
      meeting.forEach(each -> uncounted.putIfAbsent(each.name(), device.use().words()));
      return;
    }
    long free = isFree(new DeviceId(slice.pool(), device.name()), device) ? 1 : 0;
    for (var each : meeting) {
      var owner = meeting.getFirst().name();
      if (each.name().equals(owner) || partOf.containsKey(each.name())) {
        units.merge(own(each), free, Long::sum);
      } else {
        uncounted.putIfAbsent(each.name(), "counted for DeviceClass " + owner);
      }
    }
  }

  private boolean isFree(DeviceId id, Device device) {
    return !device.tainted()
        && !claims.isAllocated(id)
        && rules.values().stream().noneMatch(rule -> rule.covers(id));
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
