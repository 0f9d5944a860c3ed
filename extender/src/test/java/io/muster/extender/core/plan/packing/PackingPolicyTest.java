package io.muster.extender.core.plan.packing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.muster.extender.bench.Openb;
import io.muster.extender.core.plan.packing.SharedCluster.Ask;
import io.muster.extender.core.plan.packing.SharedCluster.Machine;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PackingPolicyTest {

  /** What an independent implementation in another language came to. */
  @ParameterizedTest
  @CsvSource({
    "default, first-fit, 368, 5764710, 431587.24",
    "default, best-fit, 457, 5685920, 509741.92",
    "default, fgd, 266, 5857560, 346484.41",
    "multigpu50, first-fit, 1277, 5764710, 433183.19",
    "multigpu50, best-fit, 1366, 5685920, 511225.23",
    "multigpu50, fgd, 1207, 5835580, 359822.74",
    "gpuspec33, first-fit, 417, 5727620, 474550.24",
    "gpuspec33, best-fit, 1454, 4896840, 746845.49",
    "gpuspec33, fgd, 817, 5319600, 514070.17",
    "cpu250, first-fit, 2946, 3542060, 2664930.40",
    "cpu250, best-fit, 1392, 4901810, 1302523.28",
    "cpu250, fgd, 2079, 4236210, 1970061.02",
  })
  void packsATraceInOrderAsAnotherImplementationDoes(
      String workload, String policy, int failed, long allocated, double fragment) {
    var pods = Openb.pods(workload);
    var target = SharedCluster.typical(pods.stream().map(pod -> pod.ask().shape()).toList(), 95);
    var cluster = new SharedCluster(Openb.nodes(), policy(policy, target));
    long refused = pods.stream().filter(pod -> cluster.place(pod.ask()).isEmpty()).count();
    assertThat(refused).isEqualTo(failed);
    assertThat(cluster.allocatedMilli()).isEqualTo(allocated);
    assertThat(cluster.fragmentMilli(target)).isCloseTo(fragment, within(0.005));
  }

  private static PackingPolicy policy(String name, TargetWorkload target) {
    return switch (name) {
      case "first-fit" -> new PackingPolicy.FirstFit();
      case "best-fit" -> new PackingPolicy.BestFit();
      default -> new PackingPolicy.Fgd(target, false);
    };
  }

  private static Machine machine(String name, int devices) {
    return new Machine(name, 640_000, 1L << 38, devices, "");
  }

  private static Ask cpuOnly() {
    return new Ask(1_000, 1 << 20, 0, 0, Set.of());
  }

  @Test
  void aPodWithoutDevicesKeepsAwayFromIdleOnes() {
    var cluster =
        new SharedCluster(List.of(machine("a", 8), machine("b", 2)), PackingPolicy.DEFAULT);
    assertThat(cluster.place(cpuOnly())).contains("b");
    var published = new PackingPolicy.Fgd(TargetWorkload.WHOLE_DEVICES, false);
    assertThat(
            new SharedCluster(List.of(machine("a", 8), machine("b", 2)), published)
                .place(cpuOnly()))
        .contains("a");
  }

  @Test
  void spreadTakesTheEmptiestNode() {
    var cluster =
        new SharedCluster(List.of(machine("a", 2), machine("b", 4)), new PackingPolicy.Spread());
    var one = new Ask(1_000, 1 << 20, 1, 1000, Set.of());
    assertThat(cluster.place(one)).contains("b");
    assertThat(cluster.place(one)).contains("b");
    assertThat(cluster.place(one)).contains("a");
  }

  @Test
  void aShareGoesToADeviceInUseBeforeAWholeOne() {
    var cluster =
        new SharedCluster(
            List.of(machine("a", 2), machine("b", 2)),
            new PackingPolicy.Fgd(
                SharedCluster.typical(List.of(new TargetWorkload.Shape(0, 2, 1000, Set.of())), 100),
                true));
    var half = new Ask(1_000, 1 << 20, 1, 500, Set.of());
    cluster.place(half);
    cluster.place(half);
    cluster.place(new Ask(1_000, 1 << 20, 1, 1000, Set.of()));
    assertThat(cluster.place(new Ask(1_000, 1 << 20, 2, 1000, Set.of()))).contains("b");
  }
}
