package io.muster.controller.kinds.paddle;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class TrainerNeedsTest {

  @ParameterizedTest
  @CsvSource({"2, 2", "1500m, 2", "0, 1", "-3, 1", "1Ki, 1024", "1e2147483647, 1"})
  void computersAreWholeCpusAndAtLeastOne(String cpu, int computers) {
    assertThat(TrainerNeeds.of(asking("cpu", cpu)).computers()).isEqualTo(computers);
  }

  /**
   * The definition of the job lets such numbers through; written out they have a billion digits.
   */
  @ParameterizedTest
  @CsvSource({"1e999999999", "1e99999999", "9e30"})
  void moreThanAnyMachineHasIsAVeryLargeNumberAtOnce(String amount) {
    assertThat(TrainerNeeds.of(asking("cpu", amount)).computers()).isEqualTo(Integer.MAX_VALUE);
    assertThat(TrainerNeeds.of(asking("nvidia.com/gpu", amount)).usesGpus()).isTrue();
  }

  @Test
  void oldGpusAreGpus() {
    var needs = TrainerNeeds.of(asking("alpha.kubernetes.io/nvidia-gpu", "2"));

    assertThat(needs.usesGpus()).isTrue();
    assertThat(needs.computers()).isEqualTo(2);
  }

  private static ResourceRequirements asking(String resource, String amount) {
    return new ResourceRequirementsBuilder().addToRequests(resource, new Quantity(amount)).build();
  }
}
