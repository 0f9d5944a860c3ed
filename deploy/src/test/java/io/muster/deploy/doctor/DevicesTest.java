package io.muster.deploy.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.muster.deploy.doctor.Finding.Outcome;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DevicesTest {

  private static Node offering(String name, String amount) {
    return new NodeBuilder()
        .withNewMetadata()
        .withName("n")
        .endMetadata()
        .withNewStatus()
        .addToAllocatable("cpu", new Quantity("8"))
        .addToAllocatable(name, new Quantity(amount))
        .endStatus()
        .build();
  }

  @ParameterizedTest
  @CsvSource({
    "nvidia.com/gpu, OK",
    "nvidia.com/mig-1g.5gb, OK",
    "nvidia.com/gpu.shared, PROBLEM",
    "example.com/gpu, CANNOT_TELL",
    "example.com/nic, OK",
  })
  void saysWhatBecomesOfGangsThatAskForWhatNodesOffer(String name, Outcome outcome) {
    var findings = new Devices(List.of(offering(name, "8"))).findings();

    assertThat(findings.getLast().outcome()).isEqualTo(outcome);
    if (!name.endsWith("nic")) {
      assertThat(findings.getLast().evidence()).contains(name);
    }
  }

  @Test
  void aNameThatNoNodeHasAnyOfIsNotOffered() {
    assertThat(new Devices(List.of(offering("nvidia.com/gpu.shared", "0"))).findings())
        .singleElement()
        .returns(Outcome.OK, Finding::outcome);
  }
}
