package io.muster.extender.kube.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaim;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimBuilder;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimConsumerReference;
import java.util.List;
import org.junit.jupiter.api.Test;

final class DeviceReadingTest {

  /** Allocated to pods with these uids; said to be owned by the pod "owner". */
  private static ResourceClaim claim(String resource, String... uids) {
    return new ResourceClaimBuilder()
        .withNewMetadata()
        .withName("c")
        .withNamespace("ml")
        .addNewOwnerReference()
        .withApiVersion("v1")
        .withKind("Pod")
        .withName("owner")
        .withUid("owner")
        .withController(true)
        .endOwnerReference()
        .endMetadata()
        .withNewStatus()
        .withReservedFor(
            List.of(uids).stream()
                .map(uid -> new ResourceClaimConsumerReference(null, "p", resource, uid))
                .toList())
        .withNewAllocation()
        .withNewDevices()
        .addNewResult()
        .withDriver("d")
        .withPool("p")
        .withDevice("gpu-0")
        .withRequest("r")
        .endResult()
        .endDevices()
        .endAllocation()
        .endStatus()
        .build();
  }

  @Test
  void aClaimIsOfThePodForWhichItIsReserved() {
    assertThat(DeviceReading.claim(claim("pods", "user")).pod()).hasValue("user");
    assertThat(DeviceReading.claim(claim("pods", "owner")).pod()).hasValue("owner");
  }

  @Test
  void aClaimThatIsReservedForNobodyIsOfThePodThatOwnsIt() {
    assertThat(DeviceReading.claim(claim("pods")).pod()).hasValue("owner");
  }

  /** Its devices count once, for one that has them. */
  @Test
  void aClaimOfSeveralIsOfItsOwnerElseOfTheFirst() {
    assertThat(DeviceReading.claim(claim("pods", "user", "owner")).pod()).hasValue("owner");
    assertThat(DeviceReading.claim(claim("pods", "user", "another")).pod()).hasValue("user");
  }

  @Test
  void aClaimOfSomethingElseIsOfNoPodWhateverOwnsIt() {
    assertThat(DeviceReading.claim(claim("jobs", "owner")).pod()).isEmpty();
    assertThat(DeviceReading.claim(claim("pods")).devices()).hasSize(1);
  }
}
