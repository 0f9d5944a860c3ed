package io.muster.extender.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.APIResourceListBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResourceList;
import io.fabric8.kubernetes.api.model.NodeSelectorBuilder;
import io.fabric8.kubernetes.api.model.NodeSelectorRequirement;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReview;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClass;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceClassBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.DeviceTaintBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSlice;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceSliceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.NonNamespaceOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.muster.extender.core.NodeBuilder;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.protocol.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@EnableKubernetesMockClient(https = false, crud = true)
final class DeviceFeedTest {

  private static final String GPU = "nvidia.com/gpu";
  private static final String DRIVER = "gpu.nvidia.com";
  private static final Map<String, Set<String>> SERVED =
      Map.of("resource.k8s.io", Set.of("v1"), "apps", Set.of("v1"));

  private final List<Node> told = new CopyOnWriteArrayList<>();
  private final Map<String, Long> counted = new ConcurrentHashMap<>();
  private final AtomicInteger listed = new AtomicInteger();
  private KubernetesClient client;
  private KubernetesMockServer server;
  private DeviceFeed feed;

  @BeforeEach
  void open() {
    feed =
        new DeviceFeed(
            client,
            new DeviceFeed.Around(
                name -> Optional.of(NodeBuilder.aNode(name).build()),
                (uid, _, resource) -> resource.equals(GPU) ? counted.getOrDefault(uid, 0L) : 0,
                event -> {
                  if (event instanceof Event.NodeSeen(var node)) {
                    told.add(node);
                  }
                },
                _ -> {},
                new ClaimFeed(client, _ -> {}),
                listed::incrementAndGet));
  }

  @AfterEach
  void close() {
    feed.close();
  }

  @Test
  void nothingIsAskedForWhereItIsNotServed() {
    int before = server.getRequestCount();
    feed.served(Map.of("resource.k8s.io", Set.of("v1beta1")));
    feed.served(Map.of());
    feed.nodeSeen(NodeBuilder.aNode("n1").gpus(4).build());
    feed.podChanged("u");
    assertThat(server.getRequestCount()).isEqualTo(before);
    assertThat(listed).hasPositiveValue();
    assertThat(told).containsExactly(NodeBuilder.aNode("n1").gpus(4).build());
  }

  @Test
  void whereThereAreNoDevicesNodesAreToldAsTheyAre() {
    feed.served(SERVED);
    await().until(() -> listed.get() == 1);
    var node = NodeBuilder.aNode("n1").gpus(4).build();
    feed.nodeSeen(node);
    assertThat(told).hasSize(1);
    assertThat(told.getFirst()).isSameAs(node);
  }

  @Test
  void aNodeIsToldAgainWhenItsDevicesChange() {
    client.resource(slice("n1", 4, 0)).create();
    client.resource(deviceClass()).create();
    feed.served(SERVED);
    await().until(() -> gpus() == 4);
    assertThat(last().allocatable().of("deviceclass.resource.kubernetes.io/gpu")).isEqualTo(4);

    client.resource(slice("n1", 4, 3)).update();
    await().until(() -> gpus() == 1);
    client.resource(claim("gpu-3")).create();
    await().until(() -> gpus() == 0);
    counted.put("pod-uid", 1L);
    feed.podChanged("pod-uid");
    assertThat(gpus()).isEqualTo(1);
    client.resources(ResourceClaim.class).inNamespace("ml").withName("c").delete();
    client.resources(ResourceSlice.class).withName("n1").delete();
    await().until(() -> gpus() == 0);
    client.resource(slice("n1", 2, 0)).create();
    await().until(() -> gpus() == 2);
    client.resources(DeviceClass.class).withName("gpu").delete();
    await().until(() -> gpus() == 0);
  }

  @Test
  void noDeviceCountsWhileItIsNotKnownWhichOnesAreTaken() throws InterruptedException {
    server
        .expect()
        .post()
        .withPath("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews")
        .andReturn(201, new SelfSubjectAccessReview())
        .always();
    server
        .expect()
        .get()
        .withPath("/apis/resource.k8s.io/v1/resourceclaims?resourceVersion=0")
        .andReturn(403, "no")
        .always();
    client.resource(slice("n1", 4, 0)).create();
    client.resource(deviceClass()).create();
    feed.served(SERVED);
    await().until(() -> listed.get() > 0);
    feed.nodeSeen(NodeBuilder.aNode("n1").build());
    assertThat(gpus()).isZero();
    var paths = new ArrayList<String>();
    for (int left = server.getRequestCount(); left > 0; left--) {
      paths.add(server.takeRequest().getPath());
    }
    assertThat(paths).noneMatch(path -> path.contains("resourceslices?"));
  }

  @Test
  void aChangeThatMeansNothingIsNotTold() {
    client.resource(slice("n1", 4, 0)).create();
    client.resource(deviceClass()).create();
    feed.served(SERVED);
    await().until(() -> gpus() == 4);
    int before = told.size();

    client
        .resources(ResourceSlice.class)
        .withName("n1")
        .edit(slice -> {
          slice.getMetadata().setLabels(Map.of("any", "label"));
          return slice;
        });
    client.resource(slice("n2", 1, 0)).create();
    await().until(() -> last().name().equals("n2"));
    assertThat(told).hasSize(before + 1);
  }

  /** What a node lists itself is not counted a second time. */
  @Test
  void aDevicePluginsNumberStands() {
    client.resource(slice("n1", 4, 0)).create();
    client.resource(deviceClass()).create();
    feed.served(SERVED);
    await().until(() -> gpus() == 4);
    feed.nodeSeen(NodeBuilder.aNode("n1").gpus(8).build());
    assertThat(gpus()).isEqualTo(8);
    assertThat(last().allocatable().extended()).containsOnlyKeys(GPU);
  }

  /** As after an upgrade of the API server, or once somebody has turned the feature on. */
  @Test
  void rulesThatAreServedLaterKeepClaimsOffDevices() {
    client.resource(slice("n1", 4, 0)).create();
    client.resource(deviceClass()).create();
    feed.served(SERVED);
    await().until(() -> gpus() == 4);
    rules("v1beta2").resource(rule("v1beta2", "gpu-0")).create();
    serveRules("v1beta2");
    feed.served(Map.of("resource.k8s.io", Set.of("v1", "v1beta2")));
    await().until(() -> gpus() == 3);
    assertThat(listed).hasValue(1);
  }

  /** They are in v1 from Kubernetes 1.37 on, where v1beta2 is off by default. */
  @Test
  void rulesAreReadInTheVersionThatIsServed() {
    client.resource(slice("n1", 4, 0)).create();
    client.resource(deviceClass()).create();
    rules("v1").resource(rule("v1", "gpu-0")).create();
    serveRules("v1");
    feed.served(SERVED);
    await().until(() -> gpus() == 3);
    rules("v1").withName("of-gpu-0").delete();
    await().until(() -> gpus() == 4);
  }

  @Test
  void anotherVersionOfRulesTakesThePlaceOfOneThatIsServedNoMore() {
    client.resource(slice("n1", 4, 0)).create();
    client.resource(deviceClass()).create();
    rules("v1beta2").resource(rule("v1beta2", "gpu-0")).create();
    rules("v1beta2").resource(rule("v1beta2", "gpu-1")).create();
    serveRules("v1beta2");
    feed.served(Map.of("resource.k8s.io", Set.of("v1", "v1beta2")));
    await().until(() -> gpus() == 2);
    rules("v1").resource(rule("v1", "gpu-0")).create();
    serveRules("v1");
    feed.served(SERVED);
    await().until(() -> gpus() == 3);
  }

  private void serveRules(String version) {
    server
        .expect()
        .get()
        .withPath("/apis/resource.k8s.io/" + version)
        .andReturn(
            200,
            new APIResourceListBuilder()
                .addNewResource()
                .withName("devicetaintrules")
                .endResource()
                .build())
        .always();
  }

  private NonNamespaceOperation<
          GenericKubernetesResource,
          GenericKubernetesResourceList,
          Resource<GenericKubernetesResource>>
      rules(String version) {
    return client.genericKubernetesResources(
        new ResourceDefinitionContext.Builder()
            .withGroup("resource.k8s.io")
            .withVersion(version)
            .withKind("DeviceTaintRule")
            .withPlural("devicetaintrules")
            .withNamespaced(false)
            .build());
  }

  private static GenericKubernetesResource rule(String version, String device) {
    return new GenericKubernetesResourceBuilder()
        .withApiVersion("resource.k8s.io/" + version)
        .withKind("DeviceTaintRule")
        .withNewMetadata()
        .withName("of-" + device)
        .endMetadata()
        .addToAdditionalProperties(
            "spec",
            Map.of(
                "deviceSelector",
                Map.of("driver", DRIVER, "device", device),
                "taint",
                Map.of("key", "broken", "effect", "NoSchedule")))
        .build();
  }

  private Node last() {
    return told.isEmpty() ? NodeBuilder.aNode("none").build() : told.getLast();
  }

  private long gpus() {
    return last().allocatable().of(GPU);
  }

  private static DeviceClass deviceClass() {
    return new DeviceClassBuilder()
        .withNewMetadata()
        .withName("gpu")
        .endMetadata()
        .withNewSpec()
        .withExtendedResourceName(GPU)
        .addNewSelector()
        .withNewCel("device.driver == '%s'".formatted(DRIVER))
        .endSelector()
        .endSpec()
        .build();
  }

  private static ResourceSlice slice(String node, int count, int tainted) {
    return new ResourceSliceBuilder()
        .withNewMetadata()
        .withName(node)
        .endMetadata()
        .withNewSpec()
        .withDriver(DRIVER)
        .withNodeName(node)
        .withNewPool(1L, node, 1L)
        .withDevices(
            IntStream.range(0, count)
                .mapToObj(i ->
                    new DeviceBuilder()
                        .withName("gpu-" + i)
                        .withTaints(
                            i < tainted
                                ? List.of(
                                    new DeviceTaintBuilder()
                                        .withKey("broken")
                                        .withEffect("NoSchedule")
                                        .build())
                                : List.of())
                        .build())
                .toList())
        .endSpec()
        .build();
  }

  /** One that is reserved for a pod, and has got that device. */
  private static ResourceClaim claim(String device) {
    return new ResourceClaimBuilder()
        .withNewMetadata()
        .withName("c")
        .withNamespace("ml")
        .endMetadata()
        .withNewSpec()
        .withNewDevices()
        .addNewRequest()
        .withName("r")
        .withNewExactly()
        .withDeviceClassName("gpu")
        .endExactly()
        .endRequest()
        .endDevices()
        .endSpec()
        .withNewStatus()
        .addNewReservedFor(null, "p", "pods", "pod-uid")
        .withNewAllocation()
        .withNewDevices()
        .addNewResult()
        .withDriver(DRIVER)
        .withPool("n1")
        .withDevice(device)
        .withRequest("r")
        .endResult()
        .endDevices()
        .withNodeSelector(
            new NodeSelectorBuilder()
                .addNewNodeSelectorTerm()
                .addToMatchFields(new NodeSelectorRequirement("metadata.name", "In", List.of("n1")))
                .endNodeSelectorTerm()
                .build())
        .endAllocation()
        .endStatus()
        .build();
  }
}
