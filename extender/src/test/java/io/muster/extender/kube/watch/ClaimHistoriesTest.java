package io.muster.extender.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

import io.fabric8.kubernetes.api.model.NodeSelectorBuilder;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequestAllocationResultBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimConsumerReference;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.cache.Store;
import io.muster.extender.core.NodeBuilder;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.device.Device;
import io.muster.extender.core.device.DeviceClass;
import io.muster.extender.core.device.NodeDevices;
import io.muster.extender.core.device.NodeDevices.KnownClass;
import io.muster.extender.core.device.Selectors.Verdict;
import io.muster.extender.core.device.Slice;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.core.plan.Inventory;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.extender.kube.device.DeviceReading;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Histories of pods with and without a gang, of claims that one or several of them use, and of
 * classes that come and go. After each step a node has free what no claim has, and queues hold what
 * running pods have.
 */
final class ClaimHistoriesTest {

  private static final int HISTORIES = 100;
  private static final int STEPS = 80;
  private static final List<String> NODES = List.of("n0", "n1");
  private static final List<String> CLASSES = List.of("a", "b");
  private static final int EACH = 5;
  private static final String GPU = "nvidia.com/gpu";

  /** A claim of the model; of an extended resource, of a template, or by itself. */
  private static final class Had {
    final String name;
    final String deviceClass;
    final int count;
    final Optional<String> owner;
    final List<String> users = new ArrayList<>();
    final List<String> devices = new ArrayList<>();
    String node = "";

    Had(String name, String deviceClass, int count, Optional<String> owner) {
      this.name = name;
      this.deviceClass = deviceClass;
      this.count = count;
      this.owner = owner;
    }
  }

  private Random random = new Random(0);
  private final Map<String, Had> claims = new TreeMap<>();
  private final Map<String, Pod> pods = new TreeMap<>();
  private final Set<String> classes = new TreeSet<>();
  private final Inventory ledger = new Inventory();
  private final Map<String, io.muster.extender.core.cluster.Pod> told = new HashMap<>();
  private final PodConverter translation = new PodConverter(new DialectDetector());
  private final PodMemory memory = new PodMemory(translation);
  private final NodeDevices devices =
      new NodeDevices((_, _, _) -> new Verdict.Meets(), memory::units);
  private final PodReading reading = new PodReading(memory, new Followers(), _ -> {});
  private final ClaimFeed feed = new ClaimFeed(mock(KubernetesClient.class), reading::again);
  private Map<String, KnownClass> known = Map.of();
  private int made;
  private long shared;
  private long held;

  private void begin(int seed) {
    random = new Random(seed);
    translation.claimsBy(feed);
    @SuppressWarnings("unchecked")
    Store<Pod> store = mock(Store.class, withSettings().stubOnly());
    when(store.getByKey(any()))
        .thenAnswer(call -> pods.get(call.<String>getArgument(0).replace("ml/", "")));
    reading.from(store);
    NODES.forEach(node -> {
      ledger.seen(NodeBuilder.aNode(node).build());
      tell(devices.sliceSeen(slice(node)));
    });
  }

  @Test
  void nodesAndQueuesCountEachDeviceOnce() {
    long shared = 0;
    long held = 0;
    for (int seed = 0; seed < HISTORIES; seed++) {
      var history = new ClaimHistoriesTest();
      history.begin(seed);
      for (int step = 0; step < STEPS; step++) {
        var what = history.step();
        history.check("seed %d step %d: %s".formatted(seed, step, what));
      }
      shared += history.shared;
      held += history.held;
    }
    assertThat(shared).as("steps with claims that several pods have").isGreaterThan(HISTORIES);
    assertThat(held).as("devices held by pods").isGreaterThan(HISTORIES * STEPS / 2L);
  }

  private String step() {
    return switch (random.nextInt(12)) {
      case 0, 1 -> create();
      case 2 -> claim();
      case 3 -> makeClaim();
      case 4, 5, 6, 7 -> schedule();
      case 8 -> end();
      case 9, 10 -> tidy();
      default -> changeClass();
    };
  }

  private void check(String step) {
    for (var node : classes.isEmpty() ? List.<String>of() : NODES) {
      long taken =
          claims.values().stream()
              .filter(claim -> claim.node.equals(node))
              .mapToLong(claim -> claim.devices.size())
              .sum();
      assertThat(ledger.room(node).orElseThrow().free(GPU))
          .as(step + " " + node)
          .isEqualTo(EACH - taken);
    }
    long most = 0;
    long least = 0;
    for (var claim : claims.values()) {
      // What is asked for by the extended resource outlives the class, what is claimed does not.
      if (claim.name.startsWith("of-") || classes.contains(claim.deviceClass)) {
        long live = claim.users.stream().filter(this::isRunning).count();
        most += live > 0 ? claim.devices.size() : 0;
        least += live > 0 && live == claim.users.size() ? claim.devices.size() : 0;
        shared += live > 1 ? 1 : 0;
      }
    }
    long inQueues =
        told.values().stream()
            .filter(pod -> pod.isBound() && !pod.isTerminal())
            .mapToLong(pod -> pod.demand().requests().devices())
            .sum();
    held += inQueues;
    assertThat(inQueues).as(step + " in queues").isBetween(least, most);
  }

  private boolean isRunning(String uid) {
    return told.containsKey(uid) && told.get(uid).isBound() && !told.get(uid).isTerminal();
  }

  private String create() {
    var name = "p" + made++;
    var pod =
        new PodBuilder()
            .withNewMetadata()
            .withNamespace("ml")
            .withName(name)
            .withUid(name)
            .withResourceVersion("" + made)
            .endMetadata()
            .withNewSpec()
            .endSpec()
            .withNewStatus()
            .withPhase("Pending")
            .endStatus();
    if (random.nextBoolean()) {
      pod.editMetadata()
          .withAnnotations(Map.of("muster.io/gang-name", "g", "muster.io/gang-min", "2"))
          .endMetadata();
    }
    switch (random.nextInt(4)) {
      case 0 ->
          pod.editSpec()
              .addNewContainer()
              .withNewResources()
              .addToRequests(GPU, new Quantity("1"))
              .endResources()
              .endContainer()
              .endSpec();
      case 1 -> pod.editSpec().addNewResourceClaim("d", null, "template").endSpec();
      default ->
          pod.editSpec().addNewResourceClaim("d", pick(List.of("c0", "c1", "c2")), null).endSpec();
    }
    update(pod.build());
    return "create " + name;
  }

  private String claim() {
    var name = pick(List.of("c0", "c1", "c2"));
    if (!claims.containsKey(name)) {
      claims.put(name, new Had(name, pick(CLASSES), 1 + random.nextInt(2), Optional.empty()));
      feed.claimSeen(toldOf(claims.get(name)));
    }
    return "claim " + name;
  }

  /** Of a template for a pod; any other pod may name it as well. */
  private String makeClaim() {
    for (var pod : pods.values()) {
      boolean isByTemplate =
          pod.getSpec().getResourceClaims().stream()
              .anyMatch(it -> it.getResourceClaimTemplateName() != null);
      if (isByTemplate && pod.getStatus().getResourceClaimStatuses().isEmpty() && isPending(pod)) {
        var uid = pod.getMetadata().getUid();
        var claim = new Had("made-" + uid, pick(CLASSES), 1, Optional.of(uid));
        claims.put(claim.name, claim);
        var now =
            new PodBuilder(pod)
                .editStatus()
                .addNewResourceClaimStatus("d", claim.name)
                .endStatus()
                .build();
        both(() -> feed.claimSeen(toldOf(claim)), () -> update(now));
        return "make " + claim.name;
      }
    }
    return "nothing";
  }

  /** As kube-scheduler does, whatever is said to it. */
  private String schedule() {
    var pending = pods.values().stream().filter(ClaimHistoriesTest::isPending).toList();
    if (pending.isEmpty() || classes.isEmpty()) {
      return "nothing";
    }
    var pod = pick(pending);
    var uid = pod.getMetadata().getUid();
    var claim = of(pod);
    if (claim == null) {
      return "nothing";
    }
    var node = claim.devices.isEmpty() ? pick(NODES) : claim.node;
    var free = free(node);
    if (claim.devices.isEmpty()) {
      if (free.size() < claim.count || !classes.contains(claim.deviceClass)) {
        return "nothing";
      }
      claim.node = node;
      claim.devices.addAll(free.subList(0, claim.count));
    }
    claims.put(claim.name, claim);
    claim.users.add(uid);
    var bound = new PodBuilder(pod).editSpec().withNodeName(node).endSpec().build();
    both(() -> seen(claim), () -> update(bound));
    return "schedule %s to %s with %s".formatted(uid, node, claim.name);
  }

  /** What the pod uses; null where it is not there. */
  private Had of(Pod pod) {
    var uid = pod.getMetadata().getUid();
    if (pod.getSpec().getResourceClaims().isEmpty()) {
      return new Had("of-" + uid, pick(List.copyOf(classes)), 1, Optional.of(uid));
    }
    var named = pod.getSpec().getResourceClaims().getFirst().getResourceClaimName();
    return claims.get(Objects.requireNonNullElse(named, "made-" + uid));
  }

  private String end() {
    if (pods.isEmpty()) {
      return "nothing";
    }
    var pod = pick(List.copyOf(pods.values()));
    if (random.nextBoolean()) {
      update(new PodBuilder(pod).editStatus().withPhase("Failed").endStatus().build());
      return "fail " + pod.getMetadata().getName();
    }
    pods.remove(pod.getMetadata().getName());
    reading.gone(pod);
    return "delete " + pod.getMetadata().getName();
  }

  /** As the controller of claims does, for one claim. */
  private String tidy() {
    for (var claim : List.copyOf(claims.values())) {
      boolean isOver = claim.owner.filter(uid -> !isLive(uid)).isPresent();
      if (claim.users.removeIf(uid -> !isLive(uid)) || (isOver && claim.users.isEmpty())) {
        if (claim.users.isEmpty()) {
          claim.devices.clear();
          claim.node = "";
        }
        if (isOver && claim.users.isEmpty()) {
          claims.remove(claim.name);
          tell(devices.claimGone("ml/" + claim.name));
          feed.claimGone(toldOf(claim));
        } else {
          seen(claim);
        }
        return "tidy " + claim.name;
      }
    }
    return "nothing";
  }

  private String changeClass() {
    var name = pick(CLASSES);
    if (classes.remove(name)) {
      tell(devices.classGone(name));
    } else {
      classes.add(name);
      tell(
          devices.classSeen(
              new DeviceClass(
                  name, "" + made, Instant.ofEpochSecond(made++), Optional.of(GPU), List.of("x"))));
    }
    if (!devices.known().equals(known)) {
      known = devices.known();
      var names = new HashMap<String, String>();
      known.forEach((each, it) -> names.put(each, it.resource()));
      translation.nameDevices(names);
      feed.classes(known);
      reading.again(memory.asking(DeviceClass.IMPLICIT));
    }
    return "class " + name;
  }

  private List<String> free(String node) {
    var taken =
        claims.values().stream()
            .filter(claim -> claim.node.equals(node))
            .flatMap(claim -> claim.devices.stream())
            .toList();
    var free = new ArrayList<>(names());
    free.removeAll(taken);
    Collections.shuffle(free, random);
    return free;
  }

  private boolean isLive(String uid) {
    return pods.containsKey(uid) && !"Failed".equals(pods.get(uid).getStatus().getPhase());
  }

  private static boolean isPending(Pod pod) {
    return pod.getSpec().getNodeName() == null && "Pending".equals(pod.getStatus().getPhase());
  }

  /** Two watches tell in any order. */
  private void both(Runnable one, Runnable other) {
    boolean isFirst = random.nextBoolean();
    (isFirst ? one : other).run();
    (isFirst ? other : one).run();
  }

  private void update(Pod pod) {
    var before = Optional.ofNullable(pods.get(pod.getMetadata().getName()));
    pod.getMetadata().setResourceVersion("" + ++made);
    pods.put(pod.getMetadata().getName(), pod);
    before.ifPresentOrElse(was -> reading.changed(was, pod), () -> reading.seen(pod));
  }

  private void seen(Had claim) {
    tell(devices.claimSeen(DeviceReading.claim(toldOf(claim))));
    feed.claimSeen(toldOf(claim));
  }

  private void tell(Set<String> touched) {
    touched.forEach(
        name -> ledger.seen(NodeBuilder.aNode(name).build().offering(devices.offer(name))));
  }

  /** As {@link ClusterFeed} does, with the decisions' ledger. */
  private final class Followers implements PodReading.Followers {

    @Override
    public void reading(Pod pod) {
      feed.reading(pod);
    }

    @Override
    public void read(Pod pod, io.muster.extender.core.cluster.Pod meaning) {
      var uid = meaning.key().uid();
      if (meaning.isTerminal()) {
        tell(devices.podChanged(uid));
      }
      told.put(uid, meaning);
      if (meaning.isTerminal()) {
        ledger.release(uid);
      } else if (meaning.isBound()) {
        ledger.occupy(
            uid, meaning.progress().nodeName().orElseThrow(), meaning.demand().requests());
      }
      if (!meaning.isTerminal()) {
        tell(devices.podChanged(uid));
      }
      feed.seen(meaning);
    }

    @Override
    public void leaving(PodKey key) {
      tell(devices.podChanged(key.uid()));
      told.remove(key.uid());
      ledger.release(key.uid());
    }

    @Override
    public void gone(PodKey key) {
      feed.gone(key);
    }
  }

  private static ResourceClaim toldOf(Had claim) {
    var told =
        new ResourceClaimBuilder()
            .withNewMetadata()
            .withNamespace("ml")
            .withName(claim.name)
            .endMetadata()
            .withNewSpec()
            .withNewDevices()
            .addNewRequest()
            .withName("r")
            .withNewExactly()
            .withDeviceClassName(claim.deviceClass)
            .withCount((long) claim.count)
            .endExactly()
            .endRequest()
            .endDevices()
            .endSpec()
            .withNewStatus()
            .withReservedFor(
                claim.users.stream()
                    .map(uid -> new ResourceClaimConsumerReference(null, uid, "pods", uid))
                    .toList())
            .endStatus();
    claim.owner.ifPresent(uid ->
        told.editMetadata()
            .addNewOwnerReference()
            .withKind("Pod")
            .withUid(uid)
            .withController(true)
            .endOwnerReference()
            .endMetadata());
    if (!claim.devices.isEmpty()) {
      told.editStatus()
          .withNewAllocation()
          .withNewDevices()
          .withResults(
              claim.devices.stream()
                  .map(device ->
                      new DeviceRequestAllocationResultBuilder()
                          .withDriver("d")
                          .withPool(claim.node)
                          .withDevice(device)
                          .withRequest("r")
                          .build())
                  .toList())
          .endDevices()
          .withNodeSelector(
              new NodeSelectorBuilder()
                  .addNewNodeSelectorTerm()
                  .addToMatchFields(
                      new NodeSelectorRequirement("metadata.name", "In", List.of(claim.node)))
                  .endNodeSelectorTerm()
                  .build())
          .endAllocation()
          .endStatus();
    }
    return told.build();
  }

  private static Slice slice(String node) {
    return new Slice(
        node,
        new Slice.Pool("d", node),
        1,
        1,
        Optional.of(node),
        names().stream()
            .map(name -> new Device(name, Device.Use.WHOLE, false, Map.of(), Map.of()))
            .toList());
  }

  private static List<String> names() {
    return IntStream.range(0, EACH).mapToObj(i -> "gpu-" + i).toList();
  }

  private <T> T pick(List<T> all) {
    return all.get(random.nextInt(all.size()));
  }
}
