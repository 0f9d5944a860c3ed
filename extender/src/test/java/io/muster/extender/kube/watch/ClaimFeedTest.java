package io.muster.extender.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.NodeSelectorBuilder;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodResourceClaim;
import io.fabric8.kubernetes.api.model.PodResourceClaimBuilder;
import io.fabric8.kubernetes.api.model.PodResourceClaimStatus;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequest;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequestAllocationResult;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequestAllocationResultBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceRequestBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimConsumerReference;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimTemplate;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimTemplateBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.device.Device;
import io.muster.extender.core.device.DeviceClass;
import io.muster.extender.core.device.NodeDevices;
import io.muster.extender.core.device.NodeDevices.KnownClass;
import io.muster.extender.core.device.Offer.Counted;
import io.muster.extender.core.device.Selectors.Verdict;
import io.muster.extender.core.device.Slice;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.kube.convert.MemberClaims.Claimed;
import io.muster.extender.kube.convert.MemberClaims.Entry;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.extender.kube.device.DeviceReading;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@EnableKubernetesMockClient(https = false, crud = true)
final class ClaimFeedTest {

  private static final String GPU = "nvidia.com/gpu";
  private static final String OF_GPU = "deviceclass.resource.kubernetes.io/gpu";
  private static final String OF_NIC = "deviceclass.resource.kubernetes.io/nic";
  private static final Map<String, KnownClass> CLASSES =
      Map.of(
          "gpu", new KnownClass(GPU, OF_GPU, true),
          "nic", new KnownClass(OF_NIC, OF_NIC, true),
          "channel", new KnownClass("c", "c", false));

  private final PodConverter translation = new PodConverter(new DialectDetector());
  private final List<Set<PodKey>> concerned = new CopyOnWriteArrayList<>();
  private KubernetesClient client;
  private KubernetesMockServer server;
  private ClaimFeed feed;

  @BeforeEach
  void open() {
    feed = new ClaimFeed(client, concerned::add);
    feed.classes(CLASSES);
    concerned.clear();
  }

  @AfterEach
  void close() {
    feed.close();
  }

  @Test
  void nothingIsWatchedUntilAMemberNamesATemplateAndTheApiIsServed() {
    int before = server.getRequestCount();
    feed.served();
    seen(pod("plain", List.of()));
    assertThat(server.getRequestCount()).isEqualTo(before);
    client.resource(template(of("gpu"))).create();
    seen(pod("w-0", List.of(BY_TEMPLATE)));
    await().until(() -> asked(BY_TEMPLATE) instanceof Claimed.Counted);
    assertThat(concerned).containsExactly(Set.of(key("w-0")));
  }

  @Test
  void aTemplateThatIsNotThereIsNamed() {
    feed.served();
    seen(pod("w-0", List.of(BY_TEMPLATE)));
    await()
        .untilAsserted(() ->
            assertThat(asked(BY_TEMPLATE))
                .isEqualTo(
                    new Claimed.Refused("names the ResourceClaimTemplate t, which is not there")));
    feed.claimsListed();
    assertThat(asked(BY_NAME))
        .isEqualTo(new Claimed.Refused("names the ResourceClaim c, which is not there"));
  }

  @Test
  void whatIsNotServedOrNotReadYetIsNotSaidToBeMissing() {
    assertThat(asked(BY_NAME))
        .isEqualTo(
            new Claimed.Refused(
                "claims devices, and the API server does not serve resource.k8s.io/v1: ask for"
                    + " their extended resource, such as nvidia.com/gpu"));
    feed.served();
    assertThat(asked(BY_NAME))
        .isEqualTo(
            new Claimed.Refused(
                "names the ResourceClaim c, and Muster has not read any yet: it needs the right to"
                    + " list resourceclaims"));
  }

  @Test
  void whoWaitsForAnObjectIsReadAgainOnceItIsKnownWhetherItIsThere() {
    seen(pod("w-0", List.of(BY_NAME)));
    feed.served();
    feed.claimsListed();
    feed.claimsListed();
    assertThat(concerned).containsExactly(Set.of(key("w-0")), Set.of(key("w-0")));
  }

  @Test
  void aPodIsToldOfWhatChangesFromTheMomentThatItIsRead() {
    feed.reading(pod("w-0", List.of(BY_NAME)));
    feed.claimSeen(claim(of("gpu")));
    assertThat(concerned).containsExactly(Set.of(key("w-0")));
  }

  @Test
  void aClaimThatAnOwnerHasMadeIsFound() {
    feed.claimSeen(
        new ResourceClaimBuilder(claim(of("gpu")))
            .editMetadata()
            .addNewOwnerReference()
            .withKind("RayCluster")
            .endOwnerReference()
            .endMetadata()
            .build());
    assertThat(asked(BY_NAME)).isInstanceOf(Claimed.Counted.class);
  }

  @Test
  void onceAClaimWasMadeForAPodItsTemplateIsNotAskedAnyMore() {
    var made =
        new ResourceClaimBuilder(claim(of("gpu"))).editMetadata().withName("made").endMetadata();
    feed.claimSeen(made.build());
    var entry = new Entry("ml", "uid-w-0", BY_TEMPLATE, Optional.of("made"), false);
    assertThat(feed.of(entry)).isEqualTo(new Claimed.Counted(Map.of(GPU, 2L, OF_GPU, 2L)));
  }

  @Test
  void numbersWithoutBoundDoNotOverflow() {
    var most =
        new DeviceRequestBuilder(of("gpu")).editExactly().withCount(Long.MAX_VALUE).endExactly();
    feed.claimSeen(claim(most.build(), most.build()));
    var claimed = asked(BY_NAME);
    assertThat(claimed)
        .satisfiesAnyOf(
            it -> assertThat(it).isInstanceOf(Claimed.Refused.class),
            it ->
                assertThat(((Claimed.Counted) it).units().values())
                    .allMatch(units -> units == Long.MAX_VALUE));
  }

  @Test
  void devicesCountByTheNamesOfTheirClass() {
    feed.claimSeen(claim(of("gpu"), of("nic")));
    assertThat(asked(BY_NAME))
        .isEqualTo(new Claimed.Counted(Map.of(GPU, 2L, OF_GPU, 2L, OF_NIC, 2L)));
  }

  @Test
  void devicesThatNobodyCountsAreKubeSchedulersMatter() {
    feed.claimSeen(claim(of("channel"), of("nobody")));
    assertThat(asked(BY_NAME)).isEqualTo(new Claimed.Counted(Map.of()));
  }

  @Test
  void whatIsNoCountOfDevicesIsRefusedOfGpusAndPassedOfOthers() {
    var all = new DeviceRequestBuilder(of("gpu")).editExactly().withAllocationMode("All");
    feed.claimSeen(claim(all.endExactly().build()));
    assertThat(asked(BY_NAME))
        .isEqualTo(new Claimed.Refused("asks for all devices of a node; ask for a count"));
    feed.claimSeen(
        claim(
            new DeviceRequestBuilder()
                .withName("r")
                .addNewFirstAvailable()
                .withDeviceClassName("nic")
                .endFirstAvailable()
                .addNewFirstAvailable()
                .withDeviceClassName("gpu")
                .endFirstAvailable()
                .build()));
    assertThat(asked(BY_NAME))
        .isEqualTo(
            new Claimed.Refused(
                "asks for the first available of several; ask for one class by exactly"));
    var some = new DeviceRequestBuilder(of("nic")).editExactly().withAllocationMode("All");
    feed.claimSeen(claim(some.endExactly().build()));
    assertThat(asked(BY_NAME)).isEqualTo(new Claimed.Counted(Map.of()));
  }

  @Test
  void aClaimOfSeveralMembersIsRefusedWhileTheyShareIt() {
    feed.claimSeen(claim(of("gpu")));
    seen(pod("w-0", List.of(BY_NAME)));
    assertThat(asked(BY_NAME)).isInstanceOf(Claimed.Counted.class);
    seen(pod("w-1", List.of(BY_NAME)));
    assertThat(concerned).containsExactly(Set.of(key("w-0")));
    assertThat(asked(BY_NAME))
        .isEqualTo(
            new Claimed.Refused(
                "is used by several members; name a ResourceClaimTemplate in its place"));
    feed.gone(key("w-1"));
    assertThat(asked(BY_NAME)).isInstanceOf(Claimed.Counted.class);
  }

  /** All pods of the PodGroup have the same devices; the status of each names the claim. */
  @Test
  void aClaimThatWasMadeForAPodGroupIsRefusedOfItsMembers() {
    var made =
        new ResourceClaimBuilder(claim(of("gpu")))
            .editMetadata()
            .withName("made")
            .addNewOwnerReference()
            .withApiVersion("scheduling.k8s.io/v1alpha2")
            .withKind("PodGroup")
            .withName("train")
            .withUid("train")
            .withController(true)
            .endOwnerReference()
            .endMetadata()
            .build();
    var entry = new Entry("ml", "uid-w-0", BY_TEMPLATE, Optional.of("made"), false);
    var refused =
        new Claimed.Refused(
            "is claimed once for the whole PodGroup; leave it out of spec.resourceClaims of the"
                + " PodGroup, so that each pod has its own");
    feed.claimSeen(made);
    assertThat(feed.of(entry)).isEqualTo(refused);

    var taken = new ResourceClaimConsumerReference("scheduling.k8s.io", "g", "podgroups", "g");
    feed.claimSeen(
        new ResourceClaimBuilder(claim(of("gpu")))
            .withNewStatus()
            .withReservedFor(taken)
            .endStatus()
            .build());
    assertThat(asked(BY_NAME)).isEqualTo(refused);
  }

  /** It may be read once more, for a change that means nothing. */
  @Test
  void aPodThatHasEndedUsesNoClaim() {
    feed.claimSeen(claim(of("gpu")));
    seen(pod("w-0", List.of(BY_NAME)));
    var ended =
        new PodBuilder(pod("w-1", List.of(BY_NAME)))
            .withNewStatus()
            .withPhase("Failed")
            .endStatus();
    feed.reading(ended.build());
    assertThat(asked(BY_NAME)).isInstanceOf(Claimed.Counted.class);
    assertThat(concerned).isEmpty();
  }

  @Test
  void aPodMayStateNoPhase() {
    feed.claimSeen(claim(of("gpu")));
    feed.reading(new PodBuilder(pod("w-0", List.of(BY_NAME))).withNewStatus().endStatus().build());
    feed.claimGone(claim());
    assertThat(concerned).containsExactly(Set.of(key("w-0")));
  }

  /** A pod may have thousands of them. */
  @Test
  void theClaimsThatWereMadeForAPodAreGoneThroughOnce() {
    translation.claimsBy(feed);
    var entries =
        IntStream.range(0, 100)
            .mapToObj(i -> new PodResourceClaimBuilder(BY_TEMPLATE).withName("d" + i).build())
            .toList();
    var read = new AtomicInteger();
    var made =
        IntStream.range(0, 100)
            .mapToObj(i ->
                new PodResourceClaimStatus("d" + i, "made-" + i) {
                  @Override
                  public String getName() {
                    read.incrementAndGet();
                    return super.getName();
                  }
                })
            .toList();
    for (int i = 0; i < 100; i++) {
      feed.claimSeen(
          new ResourceClaimBuilder(claim(of("gpu")))
              .editMetadata()
              .withName("made-" + i)
              .endMetadata()
              .build());
    }
    var pod = pod("w-0", entries);
    pod.setStatus(new PodStatus());
    pod.getStatus().setResourceClaimStatuses(List.copyOf(made));
    assertThat(gpus(pod)).isEqualTo(200);
    assertThat(read).hasValueLessThanOrEqualTo(100);
  }

  @Test
  void whatWasMadeForAPodIsItsWhoeverNamesItToo() {
    var made =
        new ResourceClaimBuilder(claim(of("gpu"))).editMetadata().withName("made").endMetadata();
    feed.claimSeen(made.build());
    seen(
        pod(
            "other",
            List.of(
                new PodResourceClaimBuilder()
                    .withName("d")
                    .withResourceClaimName("made")
                    .build())));
    var entry = new Entry("ml", "uid-w-0", BY_TEMPLATE, Optional.of("made"), false);
    assertThat(feed.of(entry)).isEqualTo(new Claimed.Counted(Map.of(GPU, 2L, OF_GPU, 2L)));
  }

  /** Another pod that names the claim does not take them out of the member's queue. */
  @Test
  void devicesThatAMemberHasStayItsWhoeverNamesTheClaimToo() {
    translation.claimsBy(feed);
    var member = onANode(pod("w-0", List.of(BY_NAME)));
    var other = onANode(withoutGang(pod("other", List.of(BY_NAME))));
    feed.claimSeen(had(claim(of("gpu")), "uid-w-0"));
    seen(member);
    seen(other);
    assertThat(gpus(member)).isEqualTo(2);
    assertThat(gpus(other)).isZero();

    feed.claimSeen(had(claim(of("gpu")), "uid-w-0", "uid-other"));
    assertThat(gpus(member)).isEqualTo(2);
    assertThat(gpus(other)).isZero();
    concerned.clear();
    feed.claimSeen(had(claim(of("gpu")), "uid-other"));
    assertThat(concerned).containsExactly(Set.of(key("w-0"), key("other")));
    assertThat(gpus(member)).isZero();
    assertThat(gpus(other)).isEqualTo(2);
  }

  /** Somebody sends it past kube-scheduler to a node that its claim is not for. */
  @Test
  void devicesOfAPodThatIsOnAnotherNodeAreNotFree() {
    translation.claimsBy(feed);
    var memory = new PodMemory(translation);
    var devices = new NodeDevices((_, _, _) -> new Verdict.Meets(), memory::units);
    devices.classSeen(new DeviceClass("gpu", "1", Instant.EPOCH, Optional.of(GPU), List.of("any")));
    devices.sliceSeen(
        new Slice(
            "s",
            new Slice.Pool("d", "p"),
            1,
            1,
            Optional.of("n"),
            Stream.of("gpu-0", "gpu-1", "gpu-2")
                .map(name -> new Device(name, Device.Use.WHOLE, false, Map.of(), Map.of()))
                .toList()));
    var had = had(claim(of("gpu")), "uid-s");
    feed.claimSeen(had);
    devices.claimSeen(DeviceReading.claim(had));
    var pod = onANode(withoutGang(pod("s", List.of(BY_NAME))));
    memory.read(pod);
    assertThat(devices.offer("n").counted()).contains(new Counted(GPU, GPU, 3));

    memory.read(new PodBuilder(pod).editSpec().withNodeName("other").endSpec().build());
    assertThat(devices.offer("n").counted()).contains(new Counted(GPU, GPU, 1));
  }

  @Test
  void aPodWithoutAGangAsksForWhatItsClaimsHaveOnceItIsOnANode() {
    translation.claimsBy(feed);
    var waiting = withoutGang(pod("s", List.of(BY_NAME)));
    var all =
        new DeviceRequestBuilder(of("gpu")).editExactly().withAllocationMode("All").endExactly();
    feed.claimSeen(claim(all.build()));
    seen(waiting);
    assertThat(gpus(onANode(waiting))).isZero();
    feed.claimSeen(had(claim(all.build()), "uid-s"));
    assertThat(gpus(waiting)).isZero();
    assertThat(gpus(onANode(waiting))).isEqualTo(2);
    assertThat(gpus(onANode(pod("s", List.of(BY_NAME))))).isEqualTo(2);
    // Two entries may name one claim.
    assertThat(gpus(onANode(pod("s", List.of(BY_NAME, BY_NAME))))).isEqualTo(2);
  }

  /** It is made when the gang starts: the gang is not to wait for it. */
  @Test
  void theTemplateOfTheGangsOwnDomainCountsAsAChannelBeforeItIsThere() {
    var entry = new Entry("ml", "uid-w-0", BY_TEMPLATE, Optional.empty(), true);
    assertThat(feed.of(entry)).isEqualTo(new Claimed.Counted(Map.of()));
    assertThat(asked(BY_TEMPLATE)).isInstanceOf(Claimed.Refused.class);
    var channel = "compute-domain-default-channel.nvidia.com";
    var counted = "deviceclass.resource.kubernetes.io/" + channel;
    feed.classes(Map.of(channel, new KnownClass(counted, counted, true)));
    assertThat(feed.of(entry)).isEqualTo(new Claimed.Counted(Map.of(counted, 1L)));
  }

  @Test
  void membersAreReadAgainWhenWhatTheyNameChanges() {
    seen(pod("w-0", List.of(BY_NAME)));
    feed.claimSeen(claim(of("gpu")));
    feed.claimSeen(claim(of("gpu")));
    feed.claimGone(claim());
    feed.classes(Map.of());
    assertThat(concerned).hasSize(3).allMatch(Set.of(key("w-0"))::equals);
  }

  private static final PodResourceClaim BY_TEMPLATE =
      new PodResourceClaimBuilder().withName("d").withResourceClaimTemplateName("t").build();
  private static final PodResourceClaim BY_NAME =
      new PodResourceClaimBuilder().withName("d").withResourceClaimName("c").build();

  /** As the first member asks. */
  private Claimed asked(PodResourceClaim claim) {
    return feed.of(new Entry("ml", "uid-w-0", claim, Optional.empty(), false));
  }

  private void seen(Pod pod) {
    feed.reading(pod);
    feed.seen(translation.pod(pod));
  }

  private static PodKey key(String name) {
    return new PodKey("ml", name, "uid-" + name);
  }

  private static Pod pod(String name, List<PodResourceClaim> claims) {
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace("ml")
        .withName(name)
        .withUid("uid-" + name)
        .withAnnotations(Map.of("muster.io/gang-name", "g", "muster.io/gang-min", "2"))
        .endMetadata()
        .withNewSpec()
        .withResourceClaims(claims)
        .endSpec()
        .build();
  }

  private static Pod withoutGang(Pod pod) {
    return new PodBuilder(pod).editMetadata().withAnnotations(Map.of()).endMetadata().build();
  }

  private static Pod onANode(Pod pod) {
    return new PodBuilder(pod).editSpec().withNodeName("n").endSpec().build();
  }

  private long gpus(Pod pod) {
    return translation.pod(pod).demand().requests().of(GPU);
  }

  /** The claim with two devices, reserved for pods with these uids. */
  private static ResourceClaim had(ResourceClaim claim, String... uids) {
    return new ResourceClaimBuilder(claim)
        .withNewStatus()
        .withReservedFor(
            Stream.of(uids)
                .map(uid -> new ResourceClaimConsumerReference(null, "p", "pods", uid))
                .toList())
        .withNewAllocation()
        .withNewDevices()
        .addToResults(device("gpu-0"), device("gpu-1"))
        .endDevices()
        .withNodeSelector(
            new NodeSelectorBuilder()
                .addNewNodeSelectorTerm()
                .addToMatchFields(new NodeSelectorRequirement("metadata.name", "In", List.of("n")))
                .endNodeSelectorTerm()
                .build())
        .endAllocation()
        .endStatus()
        .build();
  }

  private static DeviceRequestAllocationResult device(String name) {
    return new DeviceRequestAllocationResultBuilder()
        .withDriver("d")
        .withPool("p")
        .withDevice(name)
        .withRequest("r")
        .build();
  }

  private static DeviceRequest of(String deviceClass) {
    return new DeviceRequestBuilder()
        .withName("r")
        .withNewExactly()
        .withDeviceClassName(deviceClass)
        .withCount(2L)
        .endExactly()
        .build();
  }

  private static ResourceClaim claim(DeviceRequest... requests) {
    return new ResourceClaimBuilder()
        .withNewMetadata()
        .withNamespace("ml")
        .withName("c")
        .endMetadata()
        .withNewSpec()
        .withNewDevices()
        .withRequests(requests)
        .endDevices()
        .endSpec()
        .build();
  }

  private static ResourceClaimTemplate template(DeviceRequest... requests) {
    return new ResourceClaimTemplateBuilder()
        .withNewMetadata()
        .withNamespace("ml")
        .withName("t")
        .endMetadata()
        .withNewSpec()
        .withNewSpec()
        .withNewDevices()
        .withRequests(requests)
        .endDevices()
        .endSpec()
        .endSpec()
        .build();
  }
}
