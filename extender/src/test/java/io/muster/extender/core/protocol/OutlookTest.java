package io.muster.extender.core.protocol;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What those are told who make jobs larger and smaller. */
final class OutlookTest extends GangScenes {

  private static final GangId BIG = new GangId(Dialect.KOORDINATOR, "dlrover", "big");

  /** A gang runs on one of two nodes, and one of two members waits. */
  private Outlook oneRunsAndTwoWait() {
    gpuNodes(2);
    gang("small", 1, 1);
    cluster.runUntil(seconds(5));
    gang("big", 2, 2);
    cluster.runUntil(seconds(15));
    assertThat(cluster.boundOf("small")).isEqualTo(1);
    assertThat(cluster.boundOf("big")).isZero();
    return cluster.muster().outlook();
  }

  @Test
  void aGangThatWaitsIsNamedWithWhatItNeedsAndWhatIsFree() {
    var outlook = oneRunsAndTwoWait();

    assertThat(outlook.waiting(cluster.now())).containsExactly(new WaitingGang(BIG, 0));
    assertThat(outlook.shortage(BIG))
        .contains(
            new Shortage(
                2,
                Optional.empty(),
                List.of(new Shortage.Amount("nvidia.com/gpu", 2, 1)),
                "0/2 nodes are available: 2 Insufficient nvidia.com/gpu."));
    assertThat(outlook.shortage(new GangId(Dialect.KOORDINATOR, "dlrover", "small"))).isEmpty();
  }

  @Test
  void thePodThatComesLaterIsNamedIfItIsTheOneWithoutAPlace() {
    cluster.addNode(aNode("n").gpus(1).build());
    cluster.create(
        aPod("dlrover", "big-0")
            .gpus(1)
            .gang("big", 1)
            .beforeOne(aPod("dlrover", "big-launcher").gpus(3).build())
            .createdAt(cluster.now())
            .build());
    cluster.runUntil(seconds(10));

    assertThat(cluster.muster().outlook().shortage(BIG))
        .hasValueSatisfying(shortage -> {
          assertThat(shortage.later())
              .hasValueSatisfying(asks -> assertThat(asks).contains("nvidia.com/gpu 3"));
          assertThat(shortage.devices())
              .containsExactly(new Shortage.Amount("nvidia.com/gpu", 4, 1));
        });
  }

  @Test
  void roomForMoreIsJudgedByThePlanner() {
    var outlook = oneRunsAndTwoWait();

    assertThat(outlook.places(List.of("uid-small-worker-0")).orElseThrow()).hasSize(1);
    assertThat(outlook.places(List.of("uid-small-worker-0", "uid-small-worker-0"))).isEmpty();
    assertThat(outlook.places(List.of("unknown"))).isEmpty();
  }

  @Test
  void aGangCouldUseTheNodesThatItSelectsAndNoOthers() {
    var outlook = oneRunsAndTwoWait();
    cluster.addNode(aNode("elsewhere").gpus(1).build());

    assertThat(outlook.couldUse(BIG, List.of("gpu-0"))).isTrue();
    assertThat(outlook.couldUse(BIG, List.of("elsewhere"))).isFalse();
    assertThat(
            outlook.couldUse(new GangId(Dialect.KOORDINATOR, "dlrover", "small"), List.of("gpu-0")))
        .isFalse();
  }

  @Test
  void whoseEndWouldHelpAWaitingGangIsFoundWithoutTouchingAnything() {
    var outlook = oneRunsAndTwoWait();

    assertThat(outlook.fitsWithout(BIG, List.of(), cluster.now())).isFalse();
    assertThat(outlook.fitsWithout(BIG, List.of("uid-small-worker-0"), cluster.now())).isTrue();
    cluster.runUntil(cluster.sinceStart().plus(Duration.ofSeconds(10)));
    assertThat(cluster.boundOf("small")).isEqualTo(1);
    assertThat(cluster.boundOf("big")).isZero();
    settled();
  }

  private static Prospect.Lot lot(int count, PodBuilder pod) {
    return new Prospect.Lot(pod.selecting("set", "gpu").build(), count);
  }

  @Test
  void podsThatDoNotExistAreJudgedAsTheirGangWouldBeAndNothingIsKeptForThem() {
    gpuNodes(2);
    cluster.runUntil(seconds(5));
    var outlook = cluster.muster().outlook();
    var worker = aPod("dlrover", "any").gpus(1).gang("next", 3);

    assertThat(outlook.ifMade(List.of(lot(4, worker)), cluster.now()))
        .isEqualTo(
            new Prospect(
                false,
                "no room for 3 members together: 0/2 nodes are available: 2 Insufficient"
                    + " nvidia.com/gpu"));
    cluster.addNode(aNode("gpu-2").gpus(1).label("set", "gpu").build());
    cluster.runUntil(seconds(6));
    for (int again = 0; again < 2; again++) {
      assertThat(outlook.ifMade(List.of(lot(4, worker)), cluster.now()))
          .isEqualTo(new Prospect(true, "there is room for all that must start together"));
    }
    gang("other", 3, 3);
    cluster.runUntil(seconds(15));
    assertThat(cluster.boundOf("other")).isEqualTo(3);
    settled();
  }

  @Test
  void podsWithoutAGangAreToStartAllTogether() {
    gpuNodes(2);
    cluster.runUntil(seconds(5));
    var outlook = cluster.muster().outlook();

    assertThat(outlook.ifMade(List.of(lot(2, aPod("a").gpus(1))), cluster.now()).starts()).isTrue();
    assertThat(outlook.ifMade(List.of(lot(3, aPod("a").gpus(1))), cluster.now()).starts())
        .isFalse();
    assertThat(
            outlook
                .ifMade(
                    List.of(lot(1, aPod("a").gpus(1)), lot(2, aPod("b").gpus(1))), cluster.now())
                .starts())
        .isFalse();
  }

  @Test
  void whoWaitsInLineAlreadyIsSaidBesideTheReason() {
    var outlook = oneRunsAndTwoWait();
    var next = aPod("dlrover", "any").gpus(1).gang("next", 2);

    assertThat(outlook.ifMade(List.of(lot(2, next)), cluster.now()).sentence())
        .isEqualTo(
            "no room for 2 members together: 0/2 nodes are available: 2 Insufficient"
                + " nvidia.com/gpu; 1 gang waits in line already");
    assertThat(
            outlook
                .ifMade(
                    List.of(lot(1, aPod("dlrover", "any").gpus(1).gang("small-next", 1))),
                    cluster.now())
                .sentence())
        .isEqualTo("there is room for all that must start together; 1 gang waits in line already");
  }

  @Test
  void aGangThatCouldNeverStartIsSaidToBeSo() {
    gpuNodes(4);
    cluster.runUntil(seconds(5));
    var tooFew = aPod("dlrover", "any").gpus(1).gang("next", 3);

    assertThat(cluster.muster().outlook().ifMade(List.of(lot(2, tooFew)), cluster.now()))
        .isEqualTo(new Prospect(false, "gang dlrover/next needs 3 members, and there would be 2"));
  }
}
