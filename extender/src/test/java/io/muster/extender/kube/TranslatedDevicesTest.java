package io.muster.extender.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.kube.convert.MemberClaims;
import io.muster.extender.kube.convert.PodConverter;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What members of a gang may not ask for, stored without the webhook or not. */
final class TranslatedDevicesTest {

  private static final String CLAIMING =
      """
      resourceClaims: [{name: gpus, resourceClaimTemplateName: t}]
      containers: [{name: a, resources: {claims: [{name: gpus}]}}]
      """;
  private static final String WHOLE = "; gangs are placed on whole devices: ask for ";

  private final PodConverter translation = new PodConverter(new DialectDetector());

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "nvidia.com/gpumem | 3000 | memory of a device | nvidia.com/gpu",
        "nvidia.com/gpucores | 30 | a share of a device | nvidia.com/gpu",
        "nvidia.com/gpu.shared | 1 | a share of a device | nvidia.com/gpu",
        "nvidia.com/mig-1g.5gb.shared | 1 | a share of a device | nvidia.com/gpu",
        "koordinator.sh/gpu-memory-ratio | 50 | memory of a device | nvidia.com/gpu",
        "aliyun.com/gpu-mem | 4 | memory of a device | nvidia.com/gpu",
        "hygon.com/dcumem | 2k | memory of a device | hygon.com/dcunum",
        "huawei.com/Ascend910A-memory | 1 | memory of a device | the same name without -memory",
        "koordinator.sh/rdma | 50 | a share of a device | the name under which your RDMA device"
            + " plugin counts devices"
      })
  void aMemberThatAsksForLessThanADeviceIsNeverPlaced(
      String name, String quantity, String asked, String remedy) {
    var field = "spec.containers[1].resources.limits[\"%s\"]".formatted(name);

    assertThat(
            terms(
                """
                containers:
                - {name: a}
                - {name: b, resources: {limits: {cpu: 1, %s: %s}, requests: {%s: %s}}}
                """
                    .formatted(name, quantity, name, quantity)))
        .isEqualTo(
            new Terms.Unplaceable(
                field,
                quantity,
                "gang \"ml/a\": " + field + " asks for " + asked + WHOLE + remedy));
  }

  @Test
  void initContainersAndRequestsAreLookedAt() {
    assertThat(
            terms(
                """
                initContainers:
                - {name: i, resources: {requests: {koordinator.sh/gpu: "50"}}}
                containers:
                - {name: a, resources: {limits: {nvidia.com/gpu: 1}}}
                """))
        .isEqualTo(
            new Terms.Unplaceable(
                "spec.initContainers[0].resources.requests[\"koordinator.sh/gpu\"]",
                "50",
                "gang \"ml/a\": spec.initContainers[0].resources.requests[\"koordinator.sh/gpu\"]"
                    + " asks for a share of a device"
                    + WHOLE
                    + "nvidia.com/gpu"));
  }

  @Test
  void aClaimIsPassedWhereNothingIsKnownOfIt() {
    assertThat(terms(CLAIMING)).isInstanceOf(Terms.Usable.class);
  }

  @Test
  void aClaimThatCannotBeCountedIsRefusedByItsField() {
    translation.claimsBy(entry ->
        new MemberClaims.Claimed.Refused("names " + entry.claim().getResourceClaimTemplateName()));
    assertThat(terms(CLAIMING))
        .isEqualTo(
            new Terms.Unplaceable(
                "spec.resourceClaims[0]", "gpus", "gang \"ml/a\": spec.resourceClaims[0] names t"));
  }

  @ParameterizedTest
  @CsvSource({"gpu-fraction, 0.5, a share of a device", "gpu-memory, 2000, memory of a device"})
  void anAnnotationOfKaiIsAShare(String key, String value, String asked) {
    assertThat(terms("containers: [{name: a}]", ", %s: '%s'".formatted(key, value)))
        .isEqualTo(
            new Terms.Unplaceable(
                "metadata.annotations[\"%s\"]".formatted(key),
                value,
                "gang \"ml/a\": metadata.annotations[\"%s\"] asks for %s%snvidia.com/gpu"
                    .formatted(key, asked, WHOLE)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "containers: [{name: a, resources: {limits: {nvidia.com/gpu: 1, rdma/ib: 1}}}]",
        "containers: [{name: a, resources: {limits: {nvidia.com/mig-1g.5gb: 2}}}]",
        "containers: [{name: a, resources: {limits: {nvidia.com/gpumem: 0}}}]",
        "containers: [{name: a, resources: {limits: {nvidia.com/gpumem: null}}}]",
        "{nodeName: n1, containers: [{name: a, resources: {limits: {nvidia.com/gpumem: 9}}}]}"
      })
  void wholeDevicesPartitionsAndPodsOnANodeAreFine(String spec) {
    assertThat(terms(spec)).isInstanceOf(Terms.Usable.class);
  }

  @Test
  void aPodWithoutGangMayAskForAnything() {
    assertThat(
            pod("""
            metadata: {name: p, annotations: {gpu-fraction: "0.5"}}
            spec: {containers: [{name: a, resources: {limits: {nvidia.com/gpumem: 9}}}]}
            """)
                .membership())
        .isEmpty();
  }

  @Test
  void aShareCountsForMoreThanTermsThatAnotherMemberMayMend() {
    var pod =
        pod(
            """
            metadata: {namespace: ml, annotations: {muster.io/gang-name: a}}
            spec: {containers: [{name: a, resources: {limits: {nvidia.com/gpumem: 9}}}]}
            """);

    assertThat(pod.unplaceable().map(Terms.Unplaceable::value)).isEqualTo(Optional.of("9"));
  }

  private Terms terms(String spec) {
    return terms(spec, "");
  }

  private Terms terms(String spec, String annotations) {
    var pod =
        pod(
            "metadata: {namespace: ml, annotations: {muster.io/gang-name: a, muster.io/gang-min: '2'"
                + annotations
                + "}}\nspec:\n"
                + spec.indent(2));
    return pod.membership().map(Membership::terms).orElseThrow();
  }

  private Pod pod(String yaml) {
    return translation.pod(
        Serialization.unmarshal("---\n" + yaml, io.fabric8.kubernetes.api.model.Pod.class));
  }
}
