package io.muster.controller.kinds.dlrover.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What can be read of the workers' command. */
final class LaunchLineTest {

  private static Optional<Integer> fewest(String text) {
    return new LaunchLine(text).fewestNodes();
  }

  @Test
  void theFewestNodesAreTheFirstNumberOfTheRange() {
    assertThat(fewest("dlrover-run --network-check --nnodes=3:$NODE_NUM x.py")).contains(3);
    assertThat(fewest("/bin/bash -c dlrover-run --nnodes 2:4 x.py")).contains(2);
    assertThat(fewest("dlrover-run --nnodes=5")).contains(5);
  }

  @Test
  void whatComesFromTheEnvironmentIsNotGuessed() {
    assertThat(fewest("dlrover-run --nnodes=$MIN:4 x.py")).isEmpty();
    assertThat(fewest("python train.py")).isEmpty();
  }

  @Test
  void nodesComeOneByOneUnlessAUnitIsNamed() {
    assertThat(new LaunchLine("dlrover-run --node_unit 4 x.py").nodeUnit()).isEqualTo(4);
    assertThat(new LaunchLine("dlrover-run --node_unit=2").nodeUnit()).isEqualTo(2);
    assertThat(new LaunchLine("dlrover-run --node_unit=0").nodeUnit()).isEqualTo(1);
    assertThat(new LaunchLine("dlrover-run").nodeUnit()).isEqualTo(1);
  }
}
