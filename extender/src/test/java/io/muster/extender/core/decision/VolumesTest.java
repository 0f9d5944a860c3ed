package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.AbsentClaim;
import io.muster.extender.core.cluster.AbsentClaim.Cause;
import io.muster.extender.core.cluster.NodeTerm;
import io.muster.extender.core.cluster.NodeTerm.Operator;
import io.muster.extender.core.cluster.NodeTerm.Requirement;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Effect.Explain;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangReport;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.core.protocol.Rules;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Members that mount volumes. */
final class VolumesTest extends ProtocolScenes {

  private static NodeTerm on(String node) {
    return new NodeTerm(List.of(new Requirement("host", Operator.IN, Set.of(node))), List.of());
  }

  private void hosts(String... names) {
    for (var name : names) {
      on(new Event.NodeSeen(aNode(name).gpus(1).label("host", name).build()));
    }
    lead(false);
  }

  @Test
  void theMemberGoesWhereItsVolumeIs() {
    hosts("n0", "n1", "n2");
    var tied = member("g", 0, 2).onVolume(on("n2")).build();
    var other = member("g", 1, 2).build();
    seen(tied);
    seen(other);
    assertThat(placeOf(tied, "n2", "n0", "n1")).isEqualTo("n2");
    assertThat(placeOf(other, "n2", "n0", "n1")).isNotEqualTo("n2");
  }

  @Test
  void aGangWhoseVolumeIsOnATakenNodeWaitsAndSaysSo() {
    hosts("n0", "n1", "n2");
    seen(aPod("before").gpus(1).on("n2").build());
    seen(member("g", 0, 2).onVolume(on("n2")).build());
    seen(member("g", 1, 2).build());
    assertThat(after(8))
        .filteredOn(Explain.class::isInstance)
        .isNotEmpty()
        .allSatisfy(effect ->
            assertThat(((Explain) effect).sentence())
                .contains(
                    "0/3 nodes are available: 1 Insufficient nvidia.com/gpu, 2 node(s) didn't match"
                        + " PersistentVolume's node affinity."));
  }

  @Test
  void aPlaceMovesToWhereTheVolumeHasBeenBoundMeanwhile() {
    hosts("n0", "n1", "n2");
    var waits = member("g", 0, 2).awaitingVolumes();
    var other = member("g", 1, 2).build();
    seen(waits.build());
    seen(other);
    var first = placeOf(waits.build(), "n0", "n1", "n2");
    assertThat(first).isNotEqualTo("n2");
    seen(member("g", 0, 2).onVolume(on("n2")).build());
    assertThat(placeOf(waits.build(), "n0", "n1", "n2")).isEqualTo("n2");
  }

  @Test
  void whereAVolumeIsAwaitedTheReservationLastsTheVolumesTime() {
    hosts("n0", "n1");
    var waits = member("g", 0, 2).awaitingVolumes().build();
    seen(waits);
    seen(member("g", 1, 2).build());
    assertThat(gaveUp(after(200))).isFalse();
    // Bound by now, but that took its time.
    seen(member("g", 0, 2).onVolume(on("n0")).build());
    assertThat(gaveUp(after(95))).isFalse();
    assertThat(gaveUp(after(10))).isTrue();
  }

  @Test
  void aGangWhoseVolumesAreNotMadeSaysSo() {
    hosts("n0", "n1");
    seen(member("g", 0, 2).awaitingVolumes().build());
    seen(member("g", 1, 2).build());

    var onTheWay = report(Reason.RESERVED, after(30));
    assertThat(onTheWay.message())
        .isEqualTo("2 places reserved; members whose claims have no volume yet: 1");
    assertThat(onTheWay.remedy()).contains("PersistentVolumeClaims");

    var late = report(Reason.HELD_OFF, after(300));
    assertThat(late.message())
        .isEqualTo(
            "the last attempt failed, the next one follows: the volumes of the members'"
                + " PersistentVolumeClaims were not made in time");
    assertThat(late.remedy()).startsWith("mend what the message names");
  }

  @Test
  void aGangOfWhichAClaimIsNotThereReservesNothingUntilItIs() {
    hosts("n0", "n1");
    seen(member("g", 0, 2).lacking(new AbsentClaim("data", Cause.MISSING)).build());
    seen(member("g", 1, 2).build());
    var said = report(Reason.VOLUME_CLAIMS_MISSING, after(10));
    assertThat(said.message())
        .isEqualTo("member g-0 mounts the PersistentVolumeClaim \"data\", which is not there");
    assertThat(said.remedy()).isEqualTo("create it in their namespace");

    var behind = member("behind", 0, 2).build();
    seen(behind);
    seen(member("behind", 1, 2).build());
    assertThat(placeOf(behind, "n0", "n1")).isNotEmpty();
    var onTheWay = report(Reason.RESERVED, after(10));
    assertThat(onTheWay.message()).isEqualTo("2 places reserved");
    assertThat(onTheWay.remedy()).contains("kube-scheduler", "muster doctor");

    on(new Event.PodGone(behind.key()));
    on(new Event.PodGone(member("behind", 1, 2).build().key()));
    var whole = member("g", 0, 2).awaitingVolumes().build();
    seen(whole);
    assertThat(placeOf(whole, "n0", "n1")).isNotEmpty();
  }

  @Test
  void aReservedGangGivesItsPlacesBackOnceAClaimGoes() {
    hosts("n0", "n1");
    seen(member("g", 0, 2).awaitingVolumes().build());
    seen(member("g", 1, 2).build());
    assertThat(report(Reason.RESERVED, after(10)).message()).startsWith("2 places reserved");
    seen(member("g", 0, 2).lacking(new AbsentClaim("data", Cause.DELETED)).build());
    assertThat(report(Reason.VOLUME_CLAIMS_MISSING, after(10)).message())
        .endsWith("\"data\", which is being deleted");
  }

  @Test
  void othersStartWithoutTheMemberWhoseClaimIsNotThere() {
    hosts("n0", "n1");
    seen(member("g", 0, 2).lacking(new AbsentClaim("data", Cause.MISSING)).build());
    var one = member("g", 1, 2).build();
    seen(one);
    seen(member("g", 2, 2).build());
    assertThat(placeOf(one, "n0", "n1")).isNotEmpty();
  }

  private static GangReport report(Reason reason, List<Effect> effects) {
    return effects.stream()
        .filter(Effect.WriteReport.class::isInstance)
        .map(effect -> ((Effect.WriteReport) effect).report())
        .filter(report -> report.reason() == reason)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void elsewhereItEndsByTheGangsOwnDeadline() {
    hosts("n0", "n1");
    var member = member("g", 0, 2).mountingClaims().build();
    seen(member);
    seen(member("g", 1, 2).build());
    assertThat(gaveUp(after(44))).isFalse();
    assertThat(gaveUp(after(6))).isTrue();
  }

  /** kube-scheduler makes the volume once the member is released, and says so as a rejection. */
  @Test
  void whereKubeSchedulerDoesNotAskAReleasedMemberMayWaitForItsVolumeAsLong() {
    var alone = new GangScheduler(Deadlines.DEFAULT, Rules.affinity());
    for (var node : List.of("n0", "n1")) {
      alone.on(new Event.NodeSeen(aNode(node).gpus(1).build()), now);
    }
    alone.on(new Event.LeaseHeld(Instant.MAX, false), now);
    alone.on(new Event.Ready(), now);
    alone.on(new Event.PodSeen(member("g", 0, 2).gated().build()), now);
    var waits = member("g", 1, 2).awaitingVolumes();
    var gang = waits.build().membership().orElseThrow().gang();
    alone.on(new Event.PodSeen(waits.gated().build()), now);
    alone.on(new Event.RecordWritten(gang, 1, true), now);
    alone.on(new Event.PodSeen(member("g", 0, 2).on("n0").placedBy(1).build()), now);
    alone.on(new Event.PodSeen(rejected(member("g", 1, 2).awaitingVolumes().build())), now);

    assertThat(evictedFor(alone, 290)).as("within the volumes' time").isZero();
    assertThat(evictedFor(alone, 30)).isPositive();
  }

  private static Pod rejected(Pod pod) {
    return pending(pod, Optional.of("0/2 nodes are available: no volume yet"), true);
  }

  private long evictedFor(GangScheduler alone, int seconds) {
    long evicted = 0;
    for (int i = 0; i < seconds; i++) {
      now = now.plusSeconds(1);
      evicted +=
          alone.on(new Event.Tick(), now).stream().filter(Effect.Evict.class::isInstance).count();
    }
    return evicted;
  }

  private static boolean gaveUp(List<Effect> effects) {
    return effects.stream()
        .filter(Effect.WriteReport.class::isInstance)
        .anyMatch(
            effect -> ((Effect.WriteReport) effect).report().message().contains("did not arrive"));
  }
}
