package io.muster.extender.core.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.NodeBuilder;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.device.Claim.Allocated;
import io.muster.extender.core.device.NodeDevices.KnownClass;
import io.muster.extender.core.device.Selectors.Verdict;
import io.muster.extender.core.device.Slice.DeviceId;
import io.muster.extender.core.device.Slice.Pool;
import io.muster.extender.core.plan.Inventory;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Histories of slices, classes, taints, claims and pods: after each step the ledger has free what a
 * model finds that goes through all objects anew. The model counts another way: devices that nobody
 * has, less what pods in the ledger are still to get.
 */
final class DeviceHistoriesTest {

  private static final int HISTORIES = 1000;
  private static final int STEPS = 60;
  private static final List<String> NODES = List.of("n0", "n1", "n2");
  private static final String DRIVER = "gpu.example.com";
  private static final String GPU = "nvidia.com/gpu";

  /**
   * What each class meets: "big" is a part of "gpu", which alone has an extended resource; "all"
   * overlaps the others.
   */
  private static final Map<String, Set<String>> MEETS =
      Map.of(
          "gpu",
          Set.of("gpu", "big"),
          "big",
          Set.of("big"),
          "nic",
          Set.of("nic"),
          "all",
          Set.of("gpu", "big", "nic"));

  private record PodOnNode(String node, String deviceClass, long units) {}

  private final Map<String, Slice> slices = new TreeMap<>();
  private final Map<String, DeviceClass> classes = new TreeMap<>();
  private final Map<String, TaintRule> rules = new TreeMap<>();
  private final Map<String, Claim> claims = new TreeMap<>();
  private final Map<String, PodOnNode> pods = new TreeMap<>();
  private final NodeDevices devices =
      new NodeDevices(
          (deviceClass, driver, device) ->
              errs(deviceClass.name(), device)
                  ? new Verdict.Unknown("fails")
                  : MEETS.get(deviceClass.name()).contains(type(device))
                      ? new Verdict.Meets()
                      : new Verdict.Differs(),
          (uid, _, resource) ->
              Optional.ofNullable(pods.get(uid))
                  .map(this::asked)
                  .orElse(Map.of())
                  .entrySet()
                  .stream()
                  .filter(it -> it.getKey().equals(resource))
                  .mapToLong(Map.Entry::getValue)
                  .sum());
  private final Inventory ledger = new Inventory();
  private Random random = new Random(0);
  private int made;
  private long checkedFree;
  private long checkedParts;

  /** Names under which devices of classes are counted, as pods have last been read. */
  private Map<String, KnownClass> known = Map.of();

  /** Of each class the one for which all its devices count, if that is one; else itself. */
  private final Map<String, String> wholes = new HashMap<>();

  @Test
  void theLedgerEqualsAModelAfterEachStep() {
    long found = 0;
    long parts = 0;
    for (int seed = 0; seed < HISTORIES; seed++) {
      var history = new DeviceHistoriesTest();
      history.play(seed);
      found += history.checkedFree;
      parts += history.checkedParts;
    }
    assertThat(parts).as("devices of parts found free").isGreaterThan(HISTORIES);
    assertThat(found).as("devices found free in all").isGreaterThan(HISTORIES * STEPS / 2L);
  }

  private void play(int seed) {
    random = new Random(seed);
    NODES.forEach(node -> ledger.seen(node(node, Offer.NONE)));
    for (int step = 0; step < STEPS; step++) {
      var what = step();
      wholes.clear();
      classes.keySet().forEach(name -> wholes.put(name, wholeOf(name)));
      for (var node : NODES) {
        for (var name : classes.keySet()) {
          var whole = whole(name);
          long free = free(node, name);
          checkedFree += Math.max(0, free);
          checkedParts += whole.equals(name) ? 0 : Math.max(0, free);
          var resource = whole.equals(name) ? resource(name) : DeviceClass.IMPLICIT + name;
          assertThat(ledger.room(node).orElseThrow().free(resource))
              .as("seed %d step %d %s: %s of %s", seed, step, what, resource, node)
              .isEqualTo(free);
        }
      }
    }
  }

  private String step() {
    return switch (random.nextInt(13)) {
      case 0, 1, 2 -> publish();
      case 3 -> withdraw();
      case 4 -> addClass();
      case 5 -> random.nextInt(4) == 0 ? dropClass() : addClass();
      case 6 -> rule();
      case 7 -> place();
      case 8 -> allocate(true);
      case 9 -> allocate(false);
      case 10 -> deallocate();
      case 11 -> unreserve();
      default -> end();
    };
  }

  /** One or two slices of a node, of an older generation, the same or a newer one. */
  private String publish() {
    var node = any(NODES);
    int parts = 1 + random.nextInt(2);
    int part = random.nextInt(parts);
    var pool = new Pool(DRIVER, node + "-" + random.nextInt(2));
    var name = pool.name() + "-" + part;
    var slice =
        new Slice(
            name,
            pool,
            random.nextInt(2),
            parts,
            Optional.of(node),
            IntStream.range(0, random.nextInt(4)).mapToObj(i -> device(part * 4 + i)).toList());
    slices.put(name, slice);
    tell(devices.sliceSeen(slice));
    return "publish " + name;
  }

  private Device device(int number) {
    return new Device(
        "d" + number,
        random.nextInt(8) == 0 ? Device.Use.SHARED : Device.Use.WHOLE,
        random.nextInt(6) == 0,
        Map.of(
            "type", List.of("gpu", "big", "nic").get(number % 3), "odd", random.nextInt(10) == 0),
        Map.of());
  }

  private String withdraw() {
    if (!slices.isEmpty()) {
      var name = any(List.copyOf(slices.keySet()));
      slices.remove(name);
      tell(devices.sliceGone(name));
    }
    return "withdraw";
  }

  private String addClass() {
    var name = any(List.copyOf(new TreeMap<>(MEETS).keySet()));
    if (!isAsked(name)) {
      var deviceClass =
          new DeviceClass(
              name,
              Integer.toString(made++),
              Instant.ofEpochSecond(random.nextInt(3)),
              name.equals("gpu") ? Optional.of(GPU) : Optional.empty(),
              List.of("any"));
      classes.put(name, deviceClass);
      tell(devices.classSeen(deviceClass));
    }
    return "class " + name;
  }

  private String dropClass() {
    var name = any(List.copyOf(new TreeMap<>(MEETS).keySet()));
    if (!isAsked(name)) {
      classes.remove(name);
      tell(devices.classGone(name));
    }
    return "no class " + name;
  }

  /** Names of classes that pods ask for stay what they are here: pods would be read again. */
  private boolean isAsked(String name) {
    return classes.containsKey(name)
        && pods.values().stream().anyMatch(pod -> pod.deviceClass().equals(name));
  }

  private String rule() {
    var name = "rule-" + random.nextInt(2);
    if (rules.remove(name) != null) {
      tell(devices.ruleGone(name));
    } else {
      var rule =
          new TaintRule(
              name,
              random.nextBoolean() ? Optional.of(DRIVER) : Optional.empty(),
              Optional.of(any(NODES) + "-0"),
              random.nextBoolean() ? Optional.of("d0") : Optional.empty());
      rules.put(name, rule);
      tell(devices.ruleSeen(rule));
    }
    return name;
  }

  /** A pod takes a place in the ledger, before or after it has devices. */
  private String place() {
    if (classes.isEmpty()) {
      return "nothing";
    }
    var uid = "pod-" + made++;
    var pod = new PodOnNode(any(NODES), any(List.copyOf(classes.keySet())), 1 + random.nextInt(2));
    pods.put(uid, pod);
    ledger.occupy(uid, pod.node(), new Resources(0, 0, asked(pod)));
    tell(devices.podChanged(uid));
    return "place " + uid;
  }

  /** A claim gets what is free on a node, for a pod of the ledger or for somebody else. */
  private String allocate(boolean isForPod) {
    if (classes.isEmpty() || (isForPod && pods.isEmpty())) {
      return "nothing";
    }
    var uid = isForPod ? any(List.copyOf(pods.keySet())) : "stranger-" + made++;
    var node = isForPod ? pods.get(uid).node() : any(NODES);
    var deviceClass = isForPod ? pods.get(uid).deviceClass() : any(List.copyOf(classes.keySet()));
    var got =
        usable(node).stream()
            .filter(found -> meets(deviceClass, found.device()))
            .filter(found -> found.device().use() == Device.Use.WHOLE && isFree(found))
            .limit(1 + random.nextInt(3))
            .map(found -> new Allocated(found.id(), deviceClass))
            .toList();
    var claim =
        new Claim(
            "ml/claim-" + made++,
            Optional.of(node),
            isForPod || random.nextBoolean() ? Optional.of(uid) : Optional.empty(),
            got);
    if (!got.isEmpty()) {
      claims.put(claim.key(), claim);
    }
    tell(devices.claimSeen(claim));
    return "allocate " + claim;
  }

  private String deallocate() {
    if (claims.isEmpty()) {
      return "nothing";
    }
    var key = any(List.copyOf(claims.keySet()));
    var claim = claims.remove(key);
    tell(
        random.nextBoolean()
            ? devices.claimGone(key)
            : devices.claimSeen(new Claim(key, Optional.empty(), claim.pod(), List.of())));
    return "deallocate " + key;
  }

  /** A claim that nobody has reserved is nobody's; its devices are not free. */
  private String unreserve() {
    if (claims.isEmpty()) {
      return "nothing";
    }
    var key = any(List.copyOf(claims.keySet()));
    var claim = claims.get(key);
    var now = new Claim(key, claim.node(), Optional.empty(), claim.devices());
    claims.put(key, now);
    tell(devices.claimSeen(now));
    return "unreserve " + key;
  }

  /** Its claim stays for a while, as the controller that deletes it comes later. */
  private String end() {
    if (pods.isEmpty()) {
      return "nothing";
    }
    var uid = any(List.copyOf(pods.keySet()));
    pods.remove(uid);
    tell(devices.podChanged(uid));
    ledger.release(uid);
    return "end " + uid;
  }

  private void tell(Set<String> touched) {
    touched.forEach(name -> ledger.seen(node(name, devices.offer(name))));
    if (!devices.known().equals(known)) {
      known = devices.known();
      pods.forEach((uid, pod) -> {
        ledger.release(uid);
        ledger.occupy(uid, pod.node(), new Resources(0, 0, asked(pod)));
      });
      pods.keySet().forEach(uid -> tell(devices.podChanged(uid)));
    }
  }

  /** As members ask that name the class. */
  private Map<String, Long> asked(PodOnNode pod) {
    var asked = new HashMap<>(Map.of(DeviceClass.IMPLICIT + pod.deviceClass(), pod.units()));
    Optional.ofNullable(known.get(pod.deviceClass()))
        .ifPresent(it -> asked.put(it.resource(), pod.units()));
    return asked;
  }

  private static io.muster.extender.core.cluster.Node node(String name, Offer offer) {
    return NodeBuilder.aNode(name).build().offering(offer);
  }

  private String resource(String className) {
    var whole = whole(className);
    return whole.equals("gpu") ? GPU : DeviceClass.IMPLICIT + whole;
  }

  private String whole(String className) {
    return wholes.getOrDefault(className, className);
  }

  private String wholeOf(String className) {
    var owners =
        slices.values().stream()
            .flatMap(slice -> slice.devices().stream())
            .filter(it -> it.use() == Device.Use.WHOLE && meets(className, it))
            .map(it -> owner(it).orElseThrow())
            .collect(Collectors.toSet());
    return owners.size() == 1 && !className.equals("gpu") ? owners.iterator().next() : className;
  }

  private static boolean errs(String className, Device device) {
    return className.equals("gpu") && device.attributes().get("odd").equals(true);
  }

  private static boolean meets(String className, Device device) {
    return MEETS.get(className).contains(type(device)) && !errs(className, device);
  }

  private record Found(DeviceId id, Device device) {}

  /** Devices of the node in pools that are complete, in their newest generation. */
  private List<Found> usable(String node) {
    var found = new ArrayList<Found>();
    for (var slice : slices.values()) {
      long newest = ofPool(slice.pool()).stream().mapToLong(Slice::generation).max().orElseThrow();
      var current = ofPool(slice.pool()).stream().filter(it -> it.generation() == newest).toList();
      boolean isComplete = current.stream().allMatch(it -> it.slices() == current.size());
      if (slice.node().equals(Optional.of(node)) && slice.generation() == newest && isComplete) {
        slice
            .devices()
            .forEach(it -> found.add(new Found(new DeviceId(slice.pool(), it.name()), it)));
      }
    }
    return found;
  }

  private List<Slice> ofPool(Pool pool) {
    return slices.values().stream().filter(it -> it.pool().equals(pool)).toList();
  }

  private boolean isFree(Found found) {
    return !found.device().tainted()
        && claims.values().stream()
            .flatMap(claim -> claim.devices().stream())
            .noneMatch(it -> it.device().equals(found.id()))
        && rules.values().stream()
            .noneMatch(rule ->
                rule.driver().orElse(DRIVER).equals(DRIVER)
                    && rule.pool().orElse(found.id().pool().name()).equals(found.id().pool().name())
                    && rule.device().orElse(found.id().device()).equals(found.id().device()));
  }

  /** Devices that nobody has, less what pods in the ledger are still to get. */
  private long free(String node, String className) {
    boolean isPart = !whole(className).equals(className);
    long free =
        usable(node).stream()
            .filter(found -> found.device().use() == Device.Use.WHOLE && isFree(found))
            .filter(found ->
                isPart
                    ? meets(className, found.device())
                    : owner(found.device()).equals(Optional.of(className)))
            .count();
    for (var pod : pods.entrySet()) {
      if (pod.getValue().node().equals(node)
          && isOf(className, isPart, pod.getValue().deviceClass())) {
        long has =
            claims.values().stream()
                .filter(claim -> claim.pod().equals(Optional.of(pod.getKey())))
                .flatMap(claim -> claim.devices().stream())
                .filter(it -> isOf(className, isPart, it.deviceClass()))
                .count();
        free -= Math.max(0, pod.getValue().units() - has);
      }
    }
    return free;
  }

  private boolean isOf(String className, boolean isPart, String other) {
    return isPart ? other.equals(className) : whole(other).equals(className);
  }

  /** The class of GPUs has an extended resource and comes first; the others by age, then name. */
  private Optional<String> owner(Device device) {
    return classes.values().stream()
        .filter(it -> meets(it.name(), device))
        .min(
            Comparator.comparing((DeviceClass it) -> !it.name().equals("gpu"))
                .thenComparing(DeviceClass::createdAt)
                .thenComparing(DeviceClass::name))
        .map(DeviceClass::name);
  }

  private <T> T any(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }

  private static String type(Device device) {
    return new HashMap<>(device.attributes()).get("type").toString();
  }
}
