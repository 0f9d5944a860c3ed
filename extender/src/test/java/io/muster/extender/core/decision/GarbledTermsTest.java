package io.muster.extender.core.decision;

import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.TermsObject;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.Reason;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Terms that members, once they are there, state so that they cannot be read, or not at all. */
final class GarbledTermsTest extends GangScenes {

  private static final TermsObject OBJECT =
      new TermsObject(TermsObject.Kind.PLUGINS_POD_GROUP, "ml", "g");

  private void run(long seconds) {
    cluster.runUntil(cluster.sinceStart().plusSeconds(seconds));
  }

  private void anotherLeads() {
    cluster.changeLeaderAfter(seconds(1));
    run(60);
  }

  private void members(int count, int minimum) {
    for (int i = 0; i < count; i++) {
      cluster.create(
          aPod("ml", "g-" + i).gpus(1).gang("g", minimum).createdAt(cluster.now()).build());
    }
  }

  private static PodBuilder garbled() {
    return aPod("ml", "g").unusableGang("g", "muster.io/gang-min", "banana", "must be a number");
  }

  private void edited(Collection<Pod> pods, PodBuilder as) {
    for (var pod : List.copyOf(pods)) {
      cluster.store(
          new Pod(
              pod.key(),
              pod.shape(),
              pod.progress(),
              pod.origin(),
              as.build().membership(),
              pod.later(),
              pod.observed(),
              pod.wishes()));
    }
  }

  private void isSaidToBeUnreadable() {
    assertThat(cluster.report("g").reason()).isEqualTo(Reason.INVALID_TERMS);
    assertThat(cluster.report("g").message()).contains("must be a number");
  }

  @Test
  void ofAGangThatWaitsTheyCountWhoeverLeads() {
    gpuNodes(2);
    members(3, 3);
    run(20);
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.WAITING);
    edited(cluster.pods.values(), garbled());
    run(20);
    isSaidToBeUnreadable();
    anotherLeads();
    isSaidToBeUnreadable();

    edited(cluster.pods.values(), aPod("ml", "g").gang("g", 2));
    run(60);
    assertThat(cluster.boundOf("g")).isEqualTo(2);
  }

  @Test
  void whatOneOfThemStatesHoldsBesideThemWhoeverLeads() {
    gpuNodes(2);
    members(3, 3);
    run(20);
    edited(cluster.pods.values().stream().limit(2).toList(), garbled());
    run(40);
    assertThat(cluster.report("g").message()).contains("3 members");
    anotherLeads();
    assertThat(cluster.report("g").message()).contains("3 members");
  }

  @Test
  void ofAGangThatRunsTheMinimumStaysAsItIsStored() {
    gpuNodes(2);
    members(2, 2);
    run(20);
    edited(cluster.pods.values(), garbled());
    run(20);
    theMinimumIsTwo();
    anotherLeads();
    theMinimumIsTwo();
    anotherLeads();
    theMinimumIsTwo();
    edited(cluster.pods.values(), aPod("ml", "g").gang("g", 1));
    run(20);
    assertThat(cluster.report("g").message()).startsWith("2 of at least 1 members bound");
  }

  @Test
  void soItDoesWhereTheirObjectHasGone() {
    gpuNodes(2);
    var terms = aPod("ml", "g").gang("g", 2).build().membership().map(Membership::terms);
    cluster.state(OBJECT, terms.orElseThrow());
    for (int i = 0; i < 2; i++) {
      cluster.create(
          aPod("ml", "g-" + i)
              .gpus(1)
              .gang(Dialect.SCHEDULER_PLUGINS, OBJECT)
              .createdAt(cluster.now())
              .build());
    }
    run(20);
    cluster.withdraw(OBJECT);
    run(20);
    theMinimumIsTwo();
    anotherLeads();
    theMinimumIsTwo();
  }

  private void theMinimumIsTwo() {
    assertThat(cluster.report("g").phase()).isEqualTo(Phase.RUNNING);
    assertThat(cluster.report("g").message()).isEqualTo("2 of at least 2 members bound");
    assertThat(cluster.records.values()).extracting(GangRecord::minAvailable).containsExactly(2);
  }

  @Test
  void whoeverReplacesThemWhenAllHaveGoneIsOfAnotherLife() {
    gpuNodes(2);
    members(2, 2);
    run(20);
    edited(cluster.pods.values(), garbled());
    anotherLeads();
    List.copyOf(cluster.pods.keySet()).forEach(cluster::delete);
    run(20);
    cluster.create(aPod("ml", "h").gpus(1).gang("g", 1).createdAt(cluster.now()).build());
    run(20);
    assertThat(cluster.report("g").message()).isEqualTo("1 of at least 1 members bound");
    assertThat(Optional.of(cluster.boundOf("g"))).contains(1L);
  }
}
