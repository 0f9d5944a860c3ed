package io.muster.extender.core.decision;

import static io.muster.extender.core.PodBuilder.aPod;
import static io.muster.extender.core.TermsBuilder.terms;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.protocol.GangRecord.Phase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Members of another owner than those of their gang that run. */
final class NewcomersTest extends GangScenes {

  private PodBuilder member(String job, int index) {
    return aPod("ml", job + "-" + index)
        .gpus(1)
        .gang("g", terms("g", 4).build(), "")
        .ownedBy(job)
        .createdAt(cluster.now());
  }

  private void run(int seconds) {
    cluster.runUntil(cluster.sinceStart().plusSeconds(seconds));
  }

  private long bound(String job) {
    return cluster.pods.values().stream()
        .filter(pod -> pod.key().name().startsWith(job) && pod.isBound())
        .count();
  }

  private void started() {
    for (int i = 0; i < 4; i++) {
      cluster.create(member("old", i).build());
    }
    run(10);
    assertThat(bound("old")).isEqualTo(4);
  }

  /** Who deletes a large Job and makes it anew has new pods before all the old ones are deleted. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theyStartTogetherWhereTheOthersAreBeingDeleted(boolean isKilled) {
    gpuNodes(6);
    started();
    cluster.neverEnds = pod -> pod.key().name().startsWith("old");
    for (int i = 0; i < 4; i++) {
      cluster.create(member("new", i).build());
      run(1);
      cluster.delete("uid-old-" + i);
      if (isKilled && i == 1) {
        cluster.restartAfter(seconds(0));
      }
    }
    run(30);
    assertThat(bound("new")).as("two nodes are free").isZero();
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.WAITING);

    for (int i = 0; i < 4; i++) {
      cluster.vanish("uid-old-" + i);
    }
    run(30);
    assertThat(bound("new")).isEqualTo(4);
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.RUNNING);
    settled();
  }

  @Test
  void theyJoinOthersThatGoOn() {
    gpuNodes(6);
    started();
    cluster.create(member("more", 0).build());
    run(2);
    assertThat(bound("more")).isZero();
    run(5);
    assertThat(bound("more")).isEqualTo(1);
    cluster.create(member("more", 1).build());
    run(2);
    assertThat(bound("more")).as("its owner has one in the gang").isEqualTo(2);
    settled();
  }

  /** As where each member is a Job of its own. */
  @Test
  void theyReplaceOneThatWasLost() {
    gpuNodes(4);
    started();
    cluster.delete("uid-old-1");
    run(1);
    cluster.create(member("next", 0).build());
    run(12);
    assertThat(bound("next")).isEqualTo(1);
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.RUNNING);
    settled();
  }
}
