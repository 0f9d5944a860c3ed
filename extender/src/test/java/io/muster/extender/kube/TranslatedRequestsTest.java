package io.muster.extender.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.extender.core.cluster.HostPort;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.kube.convert.Amounts;
import io.muster.extender.kube.convert.PodConverter;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class TranslatedRequestsTest {

  private static final long GIB = 1L << 30;

  @Test
  void containersAddUp() {
    assertThat(
            requests(
                """
                containers:
                - {name: a, resources: {requests: {cpu: 500m, memory: 1Gi, nvidia.com/gpu: 1}}}
                - {name: b, resources: {requests: {cpu: "1.5", memory: 2Gi, nvidia.com/gpu: 2}}}
                - {name: c}
                """))
        .isEqualTo(new Resources(2000, 3 * GIB, Map.of("nvidia.com/gpu", 3L)));
  }

  @Test
  void theMarkerOfAGangMemberIsAskedOfNoNode() {
    assertThat(
            requests(
                """
                containers:
                - {name: a, resources: {requests: {cpu: 1, muster.io/gang-member: 1}}}
                """))
        .isEqualTo(new Resources(1000, 0, Map.of()));
  }

  @Test
  void theLargestInitContainerCountsWhereItExceedsTheSum() {
    assertThat(
            requests(
                """
                initContainers:
                - {name: i, resources: {requests: {cpu: 3, memory: 1Gi, nvidia.com/gpu: 1}}}
                - {name: j, resources: {requests: {cpu: 1, memory: 4Gi}}}
                containers:
                - {name: a, resources: {requests: {cpu: 2, memory: 2Gi, nvidia.com/gpu: 2}}}
                """))
        .isEqualTo(new Resources(3000, 4 * GIB, Map.of("nvidia.com/gpu", 2L)));
  }

  @Test
  void sidecarsRunBesideContainersAndLaterInitContainers() {
    var pod =
        """
        initContainers:
        - {name: early, resources: {requests: {cpu: %d}}}
        - {name: sidecar, restartPolicy: Always, resources: {requests: {cpu: 1}}}
        - {name: late, resources: {requests: {cpu: %d}}}
        containers:
        - {name: a, resources: {requests: {cpu: 2}}}
        """;

    assertThat(requests(pod.formatted(1, 1)).cpuMillis()).as("sum").isEqualTo(3000);
    assertThat(requests(pod.formatted(4, 1)).cpuMillis()).as("before it").isEqualTo(4000);
    assertThat(requests(pod.formatted(1, 4)).cpuMillis()).as("after it").isEqualTo(5000);
  }

  @Test
  void limitsCountWhereRequestsAreAbsent() {
    assertThat(
            requests(
                """
                containers:
                - name: a
                  resources: {limits: {cpu: 4, nvidia.com/gpu: 8}, requests: {cpu: 1}}
                """))
        .isEqualTo(new Resources(1000, 0, Map.of("nvidia.com/gpu", 8L)));
  }

  @Test
  void resourcesOfThePodReplaceThoseOfItsContainers() {
    assertThat(
            requests(
                """
                resources: {requests: {cpu: 6}}
                overhead: {cpu: 250m, memory: 1Gi}
                containers:
                - {name: a, resources: {requests: {cpu: 2, memory: 1Gi, nvidia.com/gpu: 1}}}
                """))
        .isEqualTo(new Resources(6250, 2 * GIB, Map.of("nvidia.com/gpu", 1L)));
  }

  @Test
  void containersAndSidecarsTakePortsOfTheNode() {
    assertThat(
            requests(
                    """
                    initContainers:
                    - {name: i, ports: [{containerPort: 1, hostPort: 1}]}
                    - {name: s, restartPolicy: Always, ports: [{containerPort: 2, hostPort: 2}]}
                    containers:
                    - name: a
                      ports:
                      - {containerPort: 3, hostPort: 3, protocol: UDP, hostIP: 10.0.0.1}
                      - {containerPort: 4}
                    overhead: {cpu: 1}
                    """)
                .hostPorts())
        .containsExactly(new HostPort("UDP", "10.0.0.1", 3), new HostPort("TCP", "0.0.0.0", 2));
  }

  @Test
  void onlyExtendedResourcesAreKept() {
    assertThat(
            requests(
                    """
                    containers:
                    - name: a
                      resources:
                        requests: {ephemeral-storage: 1Gi, hugepages-2Mi: 4Mi, rdma/ib: 1,
                          kubernetes.io/batch: 1, nvidia.com/gpu: 0}
                    """)
                .extended())
        .isEqualTo(Map.of("rdma/ib", 1L));
  }

  @ParameterizedTest
  @CsvSource({
    "1, 1000",
    "0.0001, 1",
    "1100u, 2",
    "0, 0",
    "-1, 0",
    "1e-999999999, 1",
    "2e3, 2000000"
  })
  void cpuIsCountedInThousandthsRoundedUp(String cpu, long millis) {
    assertThat(requests(podWith("cpu", new Quantity(cpu))).cpuMillis()).isEqualTo(millis);
  }

  @ParameterizedTest
  @ValueSource(strings = {"abc", "0x10", "1e99999999999999"})
  void anUnreadableQuantityCountsAsNothing(String memory) {
    assertThat(requests(podWith("memory", new Quantity(memory)))).isEqualTo(Resources.NONE);
  }

  @Test
  void anAbsentQuantityCountsAsNothing() {
    assertThat(requests(podWith("memory", new Quantity()))).isEqualTo(Resources.NONE);
  }

  @ParameterizedTest
  @ValueSource(strings = {"1e999999999", "9223372036854775807", "99999999999999999999999Ei"})
  void amountsBeyondAnyMachineDoNotOverflow(String amount) {
    var quantity = Map.of("memory", new Quantity(amount), "nvidia.com/gpu", new Quantity(amount));
    var container =
        new ContainerBuilder()
            .withResources(new ResourceRequirements(null, Map.of(), quantity))
            .build();
    var spec = new PodSpec();
    spec.setContainers(List.of(container, container, container));

    assertThat(requests(spec))
        .isEqualTo(new Resources(0, Amounts.MOST, Map.of("nvidia.com/gpu", Amounts.MOST)));
  }

  @Test
  void aPodWithoutAnythingAsksForNothing() {
    assertThat(requests("{}")).isEqualTo(Resources.NONE);
    assertThat(
            new PodConverter(new DialectDetector())
                .pod(new io.fabric8.kubernetes.api.model.Pod())
                .demand()
                .requests())
        .isEqualTo(Resources.NONE);
  }

  private static PodSpec podWith(String resource, Quantity quantity) {
    var resources = new ResourceRequirements();
    resources.setRequests(Map.of(resource, quantity));
    Container container = new ContainerBuilder().withResources(resources).build();
    var spec = new PodSpec();
    spec.getContainers().add(container);
    return spec;
  }

  private static Resources requests(String spec) {
    return requests(Serialization.unmarshal("---\n" + spec, PodSpec.class));
  }

  private static Resources requests(PodSpec spec) {
    var pod = new PodBuilder().withSpec(spec).build();
    return new PodConverter(new DialectDetector()).pod(pod).demand().requests();
  }
}
