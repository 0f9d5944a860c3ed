package io.muster.extender.core.decision;

import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.Topology;
import io.muster.extender.core.queue.Waiting;
import java.time.Duration;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Nobody ends for capacity that a gang has already, or may use without that. */
final class NeedlessPreemptionTest extends QueuedGangScenes {

  private static final Waiting SOON =
      new Waiting(
          Duration.ofSeconds(20),
          Duration.ofHours(4),
          Duration.ofHours(12),
          Duration.ofSeconds(15),
          Duration.ofMinutes(10),
          true);

  NeedlessPreemptionTest() {
    super(waiting(SOON));
  }

  /** Starts again as a whole on a loss, and its members take so long to end. */
  private void restarting(String name, String life, int priority, Duration grace) {
    var terms =
        new Terms.Usable(
            2,
            2,
            Terms.Mode.STRICT,
            Terms.MatchPolicy.ONCE_SATISFIED,
            Duration.ofMinutes(10),
            new TreeSet<>(Set.of("ml/" + name)),
            new TreeMap<>(),
            Terms.OnLoss.RESTART,
            Topology.ANYWHERE);
    for (int i = 0; i < 2; i++) {
      cluster.create(
          aPod("ml", name + "-" + i + life)
              .gpus(8)
              .gang(name, terms, "")
              .priority(priority)
              .grace(grace)
              .createdAt(cluster.now())
              .build());
    }
  }

  private long live(String prefix) {
    return cluster.pods.values().stream()
        .filter(pod -> pod.key().name().startsWith(prefix))
        .filter(pod -> pod.isBound() && !pod.isTerminal() && !pod.progress().deleting())
        .count();
  }

  @Test
  void whatIsKeptForAGangBehindIsUsedFirst() {
    cluster.ownersReplace = true;
    nodes(3);
    gang("old", 1, 0);
    after(5);
    gang("young", 1, 0);
    after(5);
    gang("wide", 3, 0);
    after(60);
    assertThat(cluster.report("wide").message()).contains("kept for it: 8 of 24 devices");

    gang("high", 2, 100);
    after(60);

    assertThat(live("high-")).isEqualTo(2);
    assertThat(live("old-")).as("one node was enough").isEqualTo(1);
    assertThat(live("young-")).isZero();
    assertThat(cluster.faults).isEmpty();
  }

  /** Nodes for both; one member of the gang of higher priority fails, and its owner makes two. */
  private void startsAgain(Duration graceOfTheFirst, Duration graceOfTheNext) {
    cluster.gracesAreUsedUp = true;
    nodes(4);
    restarting("low", "a", 0, Duration.ofSeconds(5));
    after(8);
    restarting("high", "a", 100, graceOfTheFirst);
    after(20);
    cluster.fail("uid-high-0a", "OOM");
    after(5);
    restarting("high", "b", 100, graceOfTheNext);
  }

  @Test
  void aGangThatStartsAgainWaitsForItsOwnMembersToGo() {
    startsAgain(Duration.ofSeconds(40), Duration.ofSeconds(40));
    after(30);
    assertThat(live("low-")).isEqualTo(2);
    assertThat(live("high-")).as("one of the first life still ends").isZero();

    after(30);

    assertThat(live("high-")).isEqualTo(2);
    assertThat(live("low-")).isEqualTo(2);
    assertThat(cluster.faults).isEmpty();
  }

  /** Somebody deletes its pods, which take so long to end. */
  private void deleteGang(String name, Duration grace) {
    cluster.pods.values().stream()
        .filter(pod -> pod.key().name().startsWith(name))
        .toList()
        .forEach(pod -> cluster.delete(pod, grace));
  }

  @Test
  void whatOthersLeaveAnywayIsWaitedFor() {
    cluster.gracesAreUsedUp = true;
    nodes(4);
    gang("deleted", 2, 0);
    after(5);
    gang("low", 2, 0);
    after(5);
    deleteGang("deleted", Duration.ofSeconds(60));
    gang("high", 2, 100);
    after(50);
    assertThat(live("low-")).isEqualTo(2);
    assertThat(live("high-")).isZero();
    assertThat(cluster.report("high").message())
        .contains("16 devices come free for it: 2 pods end already");

    after(30);

    assertThat(live("high-")).isEqualTo(2);
    assertThat(live("low-")).isEqualTo(2);
    assertThat(cluster.faults).isEmpty();
  }

  /** Nor is it given to whoever comes by meanwhile. */
  @Test
  void whatOthersLeaveIsCountedUponByOneGangOnly() {
    cluster.gracesAreUsedUp = true;
    nodes(4);
    gang("deleted", 2, 0);
    after(5);
    gang("low", 2, 0);
    after(5);
    deleteGang("deleted", Duration.ofSeconds(90));
    gang("high", 2, 100);
    gang("second", 2, 50);
    after(60);
    assertThat(live("second-")).as("in the place of low").isEqualTo(2);
    assertThat(live("low-")).isZero();
    gang("small", 1, 10);

    after(60);

    assertThat(live("high-")).isEqualTo(2);
    assertThat(live("second-")).isEqualTo(2);
    assertThat(live("small-")).isZero();
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void whatOthersLeaveSavesSomeOfThoseThatWouldEnd() {
    cluster.gracesAreUsedUp = true;
    nodes(3);
    gang("deleted", 1, 0);
    after(5);
    gang("old", 1, 0);
    after(5);
    gang("young", 1, 0);
    after(5);
    deleteGang("deleted", Duration.ofSeconds(40));
    gang("high", 2, 100);
    after(90);

    assertThat(live("high-")).isEqualTo(2);
    assertThat(live("old-") + live("young-")).as("one node was enough").isEqualTo(1);
    assertThat(cluster.faults).isEmpty();
  }

  /** Whoever takes longer than others may be kept waiting. */
  @Test
  void whatOthersLeaveInHoursIsNotWaitedFor() {
    cluster.gracesAreUsedUp = true;
    nodes(4);
    gang("deleted", 2, 0);
    after(5);
    gang("low", 2, 0);
    after(5);
    deleteGang("deleted", Duration.ofHours(3));
    gang("high", 2, 100);
    after(60);

    assertThat(live("high-")).isEqualTo(2);
    assertThat(live("low-")).isZero();
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void whoTakesTooLongToGoIsNotWaitedFor() {
    startsAgain(Duration.ofHours(3), Duration.ofSeconds(5));
    after(60);

    assertThat(live("high-0b") + live("high-1b")).isEqualTo(2);
    assertThat(live("low-")).isZero();
    assertThat(cluster.faults).isEmpty();
  }

  /** A gang ends for the next, whose members take a minute; another one goes on. */
  private void endingForTheNext(int members) {
    cluster.ownersReplace = true;
    cluster.gracesAreUsedUp = true;
    nodes(members + 1);
    gang("low", members, pod -> pod.priority(0).grace(Duration.ofSeconds(60)));
    after(5);
    gang("running", 1, 60);
    after(5);
    gang("next", 1, 50);
    after(25);
    assertThat(live("low-")).as("it ends for the next").isZero();
  }

  /** Else one would end in vain, as the gang behind could be ended for it in turn. */
  @Test
  void whatEndsForAGangBehindIsTakenBeforeOthersEnd() {
    endingForTheNext(1);
    gang("high", 1, 100);
    after(90);

    assertThat(live("high-")).isEqualTo(1);
    assertThat(live("running-")).isEqualTo(1);
    assertThat(live("next-")).isZero();
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void aGangBehindKeepsWhatIsLeftForIt() {
    endingForTheNext(2);
    gang("high", 1, 100);
    after(90);

    assertThat(live("high-")).isEqualTo(1);
    assertThat(live("running-")).isEqualTo(1);
    assertThat(live("next-")).isEqualTo(1);
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void whatEndsForAnotherGangOfTheSamePriorityIsLeftToIt() {
    endingForTheNext(1);
    gang("same", 1, 50);
    after(90);

    assertThat(live("next-")).isEqualTo(1);
    assertThat(live("running-")).isEqualTo(1);
    assertThat(live("same-")).isZero();
    assertThat(cluster.faults).isEmpty();
  }
}
