package io.muster.extender.core.decision;

import static io.muster.extender.core.PodBuilder.aPod;
import static io.muster.extender.core.TermsBuilder.terms;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.gang.Terms.OnLoss;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pods of a former life of a gang that are still there, or end, while the next life runs. */
final class FormerLivesTest extends GangScenes {

  private static final Duration LONG = Duration.ofMinutes(10);

  private void run(long seconds) {
    cluster.runUntil(cluster.sinceStart().plusSeconds(seconds));
  }

  private PodBuilder member(int index) {
    return aPod("g-" + index)
        .gpus(1)
        .gang("g", terms("g", 3).onLoss(OnLoss.RESTART).build(), "")
        .ownedBy("job")
        .createdAt(cluster.now());
  }

  /** Who runs and is not told to end. */
  private Set<String> running() {
    return cluster.pods.values().stream()
        .filter(pod -> pod.isBound() && !pod.isTerminal() && !pod.progress().deleting())
        .map(pod -> pod.key().uid())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private void started() {
    gpuNodes(6);
    for (int i = 0; i < 3; i++) {
      cluster.create(member(i).build());
    }
    run(10);
    assertThat(running()).hasSize(3);
    cluster.ownersReplace = true;
    run(60);
  }

  private void goesOnAs(Set<String> before) {
    assertThat(before).hasSize(3);
    run(60);
    assertThat(running()).as(cluster.report("g").message()).isEqualTo(before);
    settled();
  }

  private void oneHasFailedAndAllRunAgain() {
    started();
    cluster.fail("uid-g-0", "");
    cluster.create(member(0).uid("again").build());
    run(60);
    assertThat(running()).hasSize(3).doesNotContain("uid-g-1", "uid-g-2");
  }

  /** Whoever writes a label on it, or takes a finalizer off it. */
  @Test
  void aFurtherVersionOfWhoHadFailedIsNoLoss() {
    oneHasFailedAndAllRunAgain();
    var before = running();
    cluster.store(cluster.pods.get("uid-g-0"));
    goesOnAs(before);
  }

  /** A pod with a finalizer is seen to be deleted before it is gone. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void norIsThatItsPodIsDeleted(boolean anotherLeads) {
    oneHasFailedAndAllRunAgain();
    if (anotherLeads) {
      cluster.changeLeaderAfter(seconds(1));
      run(30);
    }
    var before = running();
    cluster.isReplaced = pod -> !pod.key().uid().equals("uid-g-0");
    cluster.delete("uid-g-0");
    goesOnAs(before);
  }

  /** Two nodes are drained, of which one has a member that takes its time. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whoWasOnItsWayOutAsTheGangStartedAgainIsNoLoss(boolean anotherLeads) {
    started();
    cluster.neverEnds = pod -> pod.key().uid().equals("uid-g-1");
    cluster.isReplaced = pod -> !pod.key().uid().equals("uid-g-1");
    cluster.delete(cluster.pods.get("uid-g-1"), LONG);
    cluster.create(member(1).uid("again").build());
    cluster.delete("uid-g-0");
    run(60);
    assertThat(running()).hasSize(3).doesNotContain("uid-g-1", "uid-g-2");
    if (anotherLeads) {
      cluster.changeLeaderAfter(seconds(1));
      run(30);
    }
    var before = running();
    cluster.neverEnds = _ -> false;
    cluster.vanish("uid-g-1");
    goesOnAs(before);
  }

  /** The job was deleted, with notice, and made anew. */
  @Test
  void theEndOfAFormerJobIsNoLossOfTheNext() {
    started();
    cluster.ownersReplace = false;
    cluster.neverEnds = _ -> true;
    for (int i = 0; i < 3; i++) {
      cluster.delete(cluster.pods.get("uid-g-" + i), LONG);
    }
    run(1);
    for (int i = 0; i < 3; i++) {
      cluster.create(member(i).uid("next-" + i).ownedBy("next").build());
    }
    run(30);
    var before = running();
    cluster.neverEnds = _ -> false;
    for (int i = 0; i < 3; i++) {
      cluster.vanish("uid-g-" + i);
    }
    goesOnAs(before);
  }
}
