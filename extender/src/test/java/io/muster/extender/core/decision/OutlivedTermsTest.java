package io.muster.extender.core.decision;

import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.protocol.GangRecord.Phase;
import org.junit.jupiter.api.Test;

/** Pods that are made anew under other terms before the last of the old ones has gone. */
final class OutlivedTermsTest extends GangScenes {

  private void members(String prefix, int count, int minimum) {
    for (int i = 0; i < count; i++) {
      cluster.create(
          aPod("ml", prefix + i).gpus(1).gang("g", minimum).createdAt(cluster.now()).build());
    }
  }

  private void delete(String prefix, int count) {
    for (int i = 0; i < count; i++) {
      cluster.delete("uid-" + prefix + i);
    }
  }

  private void run(long seconds) {
    cluster.runUntil(cluster.sinceStart().plusSeconds(seconds));
  }

  @Test
  void aGangThatWaitsGoesByWhatItsNewPodsState() {
    gpuNodes(4);
    members("old", 6, 6);
    run(10);
    members("new", 4, 4);
    delete("old", 6);
    run(20);
    assertThat(cluster.report("g").message()).isEqualTo("4 of at least 4 members bound");
    assertThat(cluster.boundOf("g")).isEqualTo(4);
  }

  @Test
  void itDoesNotStartWithFewerThanTheyState() {
    gpuNodes(3);
    members("old", 2, 6);
    run(10);
    members("new", 3, 4);
    delete("old", 2);
    run(20);
    assertThat(cluster.report("g").message()).isEqualTo("3 of 4 members exist");
    assertThat(cluster.boundOf("g")).isZero();
  }

  @Test
  void asLongAsOneOfTheOldIsLeftItsTermsHold() {
    gpuNodes(4);
    members("old", 6, 6);
    run(10);
    members("new", 4, 4);
    delete("old", 5);
    run(20);
    assertThat(cluster.report("g").message())
        .isEqualTo(
            "5 of 6 members exist; a member states a minimum of 4, and 6 holds, which was stated"
                + " first");
    assertThat(cluster.report("g").remedy())
        .isEqualTo("delete the pods that state a minimum of 6, so that 4 holds");
    assertThat(cluster.boundOf("g")).isZero();
  }

  /** As the ReplicaSet of the old template does of a Deployment that is being rolled out. */
  @Test
  void ofPodsThatAreMadeAgainAsTheyWereTheOldestDecides() {
    gpuNodes(2);
    members("old", 2, 4);
    run(10);
    members("new", 1, 2);
    run(10);
    assertThat(cluster.report("g").remedy())
        .isEqualTo("delete the pods that state a minimum of 4, so that 2 holds");
    members("again", 2, 4);
    delete("old", 2);
    run(20);
    assertThat(cluster.report("g").message()).isEqualTo("2 of at least 2 members bound");
    assertThat(cluster.boundOf("g")).isEqualTo(2);
  }

  @Test
  void nothingIsSaidOfTermsThatNobodyStatesAnyMore() {
    gpuNodes(4);
    members("a", 2, 4);
    members("slip", 1, 2);
    run(10);
    delete("slip", 1);
    run(20);
    assertThat(cluster.report("g").message()).isEqualTo("2 of 4 members exist");
  }

  @Test
  void aGangThatRunsGoesOnUnderTheTermsOfItsStart() {
    gpuNodes(6);
    members("old", 2, 2);
    run(10);
    members("new", 2, 4);
    run(10);
    delete("old", 2);
    run(20);
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.RUNNING);
    assertThat(cluster.report("g").message()).isEqualTo("2 of at least 2 members bound");
  }

  /** Where the old ones run, the new ones are a gang of their own once these end. */
  @Test
  void noPartOfTheNewOnesStartsOnWhatTheOldOnesLeave() {
    gpuNodes(3);
    members("old", 3, 3);
    run(10);
    members("new", 4, 4);
    delete("old", 3);
    run(60);
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.WAITING);
    assertThat(cluster.boundOf("g")).isZero();
  }
}
