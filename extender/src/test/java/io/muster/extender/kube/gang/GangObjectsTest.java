package io.muster.extender.kube.gang;

import static io.muster.extender.kube.gang.Gangs.record;
import static io.muster.extender.kube.gang.Gangs.report;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.GangRecord.LimitReached;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.GangReport;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.kube.gang.GangStatus.Milestone;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class GangObjectsTest {

  private final KubernetesSerialization serialization = new KubernetesSerialization();

  @ParameterizedTest
  @EnumSource
  void readsBackWhatWasStored(Phase phase) {
    var stored = record(phase, 7);

    var gang = roundTrip(object(GangObjects.statusOf(stored, report(phase, "no room"))));

    assertThat(GangObjects.recordOf(gang)).contains(stored);
  }

  @ParameterizedTest
  @CsvSource({"PT4H, 4h", "PT1H30M, 1h30m", "PT20S, 20s", "PT0.000000001S, 0.000000001s"})
  void thatALimitWasReachedIsReadBack(Duration limit, String text) {
    var at = Instant.parse("2026-11-22T06:00:00.123Z");
    var stored = record(Phase.WAITING, 7).reached(new LimitReached(at, limit, Set.of("a", "b")));
    var status = GangObjects.statusOf(stored, report(Phase.WAITING, "no room"));

    assertThat(status.runTimeLimitReached())
        .isEqualTo(
            new GangStatus.LimitReached("2026-11-22T06:00:00.123Z", text, List.of("a", "b")));
    assertThat(GangObjects.recordOf(roundTrip(object(status)))).contains(stored);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{\"at\": \"yesterday\", \"limit\": \"4h\"}",
        "{\"at\": \"2026-11-22T06:00:00Z\", \"limit\": \"long\"}"
      })
  void aLimitThatCannotBeReadCountsAsNoneReached(String reached) {
    var gang =
        serialization.unmarshal(
            """
            {"apiVersion": "muster.io/v1alpha1", "kind": "Gang",
             "metadata": {"name": "train", "namespace": "ml"},
             "spec": {"dialect": "koordinator", "gangName": "train", "minAvailable": 2},
             "status": {"phase": "Waiting", "runTimeLimitReached": %s}}
            """
                .formatted(reached),
            Gang.class);

    assertThat(GangObjects.recordOf(gang))
        .hasValueSatisfying(record -> assertThat(record.limitReached()).isEmpty());
  }

  @Test
  void groupsThePlacementByNode() {
    var status = GangObjects.statusOf(record(Phase.BINDING, 1), report(Phase.BINDING, ""));

    assertThat(status.placement())
        .containsEntry(
            "node-a",
            List.of(
                new GangStatus.Member("train-0", "uid-0"),
                new GangStatus.Member("train-2", "uid-2")))
        .containsEntry("node-b", List.of(new GangStatus.Member("train-1", "uid-1")));
  }

  @Test
  void leavesTheMinimumOutWhileNoMemberStatesOne() {
    var record = record(Phase.WAITING, 1);
    var unusable =
        new GangRecord(
            record.gang(),
            1,
            0,
            Phase.WAITING,
            0,
            false,
            Map.of(),
            Optional.empty(),
            Optional.empty());
    var gang = object(GangObjects.statusOf(unusable, report(Phase.WAITING, "no minimum")));
    gang.setSpec(GangObjects.specOf(unusable));

    assertThat(serialization.asJson(gang.getSpec())).doesNotContain("minAvailable");
    assertThat(GangObjects.recordOf(roundTrip(gang))).contains(unusable);
  }

  @Test
  void saysThatMembersAreToEndOnlyWhereTheyAre() {
    var record = record(Phase.WAITING, 2);
    var ending =
        new GangRecord(
            record.gang(),
            record.incarnation(),
            record.epoch(),
            record.phase(),
            record.minAvailable(),
            record.satisfied(),
            record.placement(),
            record.controllerUid(),
            record.limitReached(),
            true);

    assertThat(GangObjects.statusOf(record, report(Phase.WAITING, "")).ending()).isNull();
    assertThat(
            GangObjects.recordOf(
                roundTrip(object(GangObjects.statusOf(ending, report(Phase.WAITING, ""))))))
        .get()
        .matches(GangRecord::ending);
  }

  @Test
  void findsNoRecordInAnObjectOfAUser() {
    assertThat(GangObjects.recordOf(object(null))).isEmpty();
  }

  @Test
  void findsNoRecordOfADialectOrPhaseItDoesNotKnow() {
    var foreign = object(GangObjects.statusOf(record(Phase.RUNNING, 1), report(Phase.RUNNING, "")));
    foreign.setSpec(new GangSpec("later", "train", 2));
    var later =
        serialization.unmarshal(
            """
            {"apiVersion": "muster.io/v1alpha1", "kind": "Gang",
             "metadata": {"name": "train", "namespace": "ml"},
             "spec": {"dialect": "koordinator", "gangName": "train", "minAvailable": 2,
                      "unknown": 1},
             "status": {"phase": "Dreaming", "unknown": {}}}
            """,
            Gang.class);

    assertThat(GangObjects.recordOf(foreign)).isEmpty();
    assertThat(GangObjects.recordOf(later)).isEmpty();
  }

  /** Somebody has written them: one more of either would be below zero. */
  @Test
  void believesNoNumbersThatNobodyCountsTo() {
    var edited =
        serialization.unmarshal(
            """
            {"apiVersion": "muster.io/v1alpha1", "kind": "Gang",
             "metadata": {"name": "train", "namespace": "ml"},
             "spec": {"dialect": "koordinator", "gangName": "train", "minAvailable": 2},
             "status": {"phase": "Waiting", "incarnation": 9223372036854775807, "epoch": -1}}
            """,
            Gang.class);

    var found = GangObjects.recordOf(edited).orElseThrow();

    assertThat(found.incarnation()).isEqualTo(1);
    assertThat(found.epoch()).isZero();
  }

  @Test
  void keepsTheTimeOfTransitionWhileThePhaseStays() {
    var status = GangObjects.statusOf(record(Phase.WAITING, 1), report(Phase.WAITING, "no room"));
    var known =
        new KnownGang(
            "train", "u", "1", 2, Optional.of(status.reached("2026-01-01T00:00:00Z", null)));

    assertThat(known.dated(status, "2026-02-02T00:00:00Z").lastTransitionTime())
        .isEqualTo("2026-01-01T00:00:00Z");
    var planned = GangObjects.statusOf(record(Phase.PLANNED, 1), report(Phase.PLANNED, ""));
    assertThat(known.dated(planned, "2026-02-02T00:00:00Z").lastTransitionTime())
        .isEqualTo("2026-02-02T00:00:00Z");
  }

  private static GangStatus status(Phase phase, Reason reason, String message) {
    return GangObjects.statusOf(record(phase, 1), new GangReport(phase, 2, 0, reason, message, ""));
  }

  /** The last of these follow one another, a minute apart. */
  private static GangStatus stored(GangStatus... wanted) {
    Optional<GangStatus> stored = Optional.empty();
    for (int i = 0; i < wanted.length; i++) {
      var known = new KnownGang("train", "u", "1", 2, stored);
      stored = Optional.of(known.dated(wanted[i], "2026-01-01T00:%02d:00Z".formatted(i)));
    }
    return stored.orElseThrow();
  }

  @Test
  void whatHasBecomeOfAGangIsKeptWithTimeAndCause() {
    var missing = status(Phase.WAITING, Reason.MEMBERS_MISSING, "1 of 2 members exist");
    var noRoom = status(Phase.WAITING, Reason.NO_ROOM, "no room");
    var runs = status(Phase.RUNNING, Reason.SATISFIED, "all run");
    var preempted = status(Phase.RUNNING, Reason.PREEMPTED, "ends for gang ml/urgent");

    assertThat(stored(missing, noRoom, runs, runs, preempted, preempted, noRoom).milestones())
        .containsExactly(
            new Milestone("2026-01-01T00:00:00Z", "Waiting", "MembersMissing", missing.message()),
            new Milestone("2026-01-01T00:02:00Z", "Running", "Satisfied", "all run"),
            new Milestone(
                "2026-01-01T00:04:00Z", "Running", "Preempted", "ends for gang ml/urgent"),
            new Milestone("2026-01-01T00:06:00Z", "Waiting", "NoRoom", "no room"));
  }

  @Test
  void ofAGangThatStartsAgainAndAgainTheLastTwentyAreKept() {
    var all = new GangStatus[50];
    for (int i = 0; i < all.length; i++) {
      all[i] =
          status(i % 2 == 0 ? Phase.WAITING : Phase.RUNNING, Reason.NO_ROOM, "x".repeat(2_000));
    }
    var kept = stored(all).milestones();

    assertThat(kept).hasSize(20);
    assertThat(kept.getLast().time()).isEqualTo("2026-01-01T00:49:00Z");
    assertThat(kept).allSatisfy(each -> assertThat(each.message()).hasSize(256));
  }

  @Test
  void whatHasBecomeOfItSurvivesTheWayToTheApiServerAndBack() {
    var status = stored(status(Phase.WAITING, Reason.NO_ROOM, "no room"));

    assertThat(roundTrip(object(status)).getStatus()).isEqualTo(status);
    assertThat(
            KnownGang.of(object(status)).stores(status(Phase.WAITING, Reason.NO_ROOM, "no room")))
        .isTrue();
  }

  private Gang roundTrip(Gang gang) {
    return serialization.unmarshal(serialization.asJson(gang), Gang.class);
  }

  private static Gang object(GangStatus status) {
    var gang = new Gang();
    gang.setMetadata(new ObjectMetaBuilder().withName("train").withNamespace("ml").build());
    gang.setSpec(GangObjects.specOf(record(Phase.WAITING, 1)));
    gang.setStatus(status);
    return gang;
  }
}
