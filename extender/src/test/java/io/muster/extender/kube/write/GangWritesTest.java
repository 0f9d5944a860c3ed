package io.muster.extender.kube.write;

import static io.muster.extender.kube.ScriptedApi.refusal;
import static io.muster.extender.kube.gang.Gangs.TRAIN;
import static io.muster.extender.kube.gang.Gangs.record;
import static io.muster.extender.kube.gang.Gangs.report;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.kube.gang.GangObjects;
import io.muster.extender.kube.gang.KnownGang;
import java.lang.Thread.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class GangWritesTest {

  private static final String GANGS = "/apis/muster.io/v1alpha1/namespaces/ml/gangs";
  private static final String TRAIN_PATH = GANGS + "/train";
  private static final String STATUS = "PUT " + TRAIN_PATH + "/status";

  private final WritesFixture fixture = new WritesFixture();

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void storesANewGangInTwoRequestsAndAKnownOneInOne() {
    fixture
        .api
        .on("POST " + GANGS, 201, object("1", "koordinator"))
        .on(STATUS, 200, stored("2", 1));

    fixture.run(writeRecord(1));
    fixture.run(writeRecord(2));

    assertThat(fixture.api.lines()).containsExactly("POST " + GANGS, STATUS, STATUS);
    assertThat(fixture.answers)
        .containsExactly(
            new Event.RecordWritten(TRAIN, 1, true), new Event.RecordWritten(TRAIN, 2, true));
    var status = fixture.api.calls().getLast().body();
    assertThat(status.at("/metadata/resourceVersion").asText()).isEqualTo("2");
    assertThat(status.at("/status/placement/node-a/0/name").asText()).isEqualTo("train-0");
    assertThat(status.at("/status/epoch").asLong()).isEqualTo(2);
  }

  @Test
  void aRecordDoesNotWaitForAnEvent() {
    fixture
        .api
        .on("POST " + GANGS, 201, object("1", "koordinator"))
        .on(STATUS, 200, stored("2", 1));
    fixture.atOnce = false;

    fixture.run(new Effect.Announce(TRAIN, true, "UnknownLevel", "anywhere"), writeRecord(1));
    fixture.waiting.remove().run();

    assertThat(fixture.api.lines()).containsExactly("POST " + GANGS, STATUS);
    fixture.waiting.remove().run();
    assertThat(fixture.api.lines()).endsWith("POST /api/v1/namespaces/ml/events");
  }

  /** Not even one that comes after a report, which is written first. */
  @Test
  void noRecordWaitsForTheEventsOfOthers() throws InterruptedException {
    fixture
        .api
        .on("POST " + GANGS, 201, object("1", "koordinator"))
        .on(STATUS, 200, stored("2", 1));
    var events = "POST /api/v1/namespaces/other/events";
    var storm = fixture.api.hold(events);
    var told = new ArrayList<Thread>();
    for (var uid : List.of("u1", "u2", "u3")) {
      var warning = new Effect.Warn(new PodKey("other", uid, uid), "MemberUnmarked", "alone");
      told.add(Thread.startVirtualThread(() -> fixture.run(warning)));
    }
    await().until(() -> told.stream().allMatch(it -> it.getState() == State.TIMED_WAITING));
    assertThat(fixture.api.lines()).containsOnly(events);

    var report = new Effect.WriteReport(record(Phase.WAITING, 1), report(Phase.WAITING, "no room"));
    var stored = Thread.startVirtualThread(() -> fixture.run(report, writeRecord(2)));

    assertThat(stored.join(Duration.ofSeconds(10))).isTrue();
    assertThat(fixture.answers).containsExactly(new Event.RecordWritten(TRAIN, 2, true));
    storm.countDown();
    for (var thread : told) {
      thread.join();
    }
  }

  @Test
  void takesUpAnObjectThatItDidNotKnow() {
    fixture
        .api
        .on("POST " + GANGS, 409, refusal(409, "exists"))
        .on("GET " + TRAIN_PATH, 200, object("5", "koordinator"))
        .on(STATUS, 200, stored("6", 1));

    fixture.run(writeRecord(1));

    assertThat(fixture.answers).containsExactly(new Event.RecordWritten(TRAIN, 1, true));
  }

  @Test
  void leavesTheObjectOfAnotherDialectAlone() {
    fixture
        .api
        .on("POST " + GANGS, 409, refusal(409, "exists"))
        .on("POST " + GANGS, 201, object("5", "koordinator").replace("\"train\",", "\"train-x\","))
        .on("GET " + TRAIN_PATH, 200, object("5", "muster"))
        .on("PUT " + GANGS + "/train-x/status", 200, stored("6", 1));

    fixture.run(writeRecord(1));

    assertThat(fixture.answers).containsExactly(new Event.RecordWritten(TRAIN, 1, true));
    assertThat(fixture.api.calls().get(2).body().at("/metadata/name").asText())
        .matches("train-[0-9a-f]{8}");
  }

  @Test
  void readsAgainWhereItsVersionIsOutdated() {
    know("1");
    fixture
        .api
        .on(STATUS, 409, refusal(409, "modified"))
        .on(STATUS, 200, stored("9", 1))
        .on("GET " + TRAIN_PATH, 200, object("8", "koordinator"));

    fixture.run(writeRecord(1));

    assertThat(fixture.answers).containsExactly(new Event.RecordWritten(TRAIN, 1, true));
    assertThat(fixture.api.calls().getLast().body().at("/metadata/resourceVersion").asText())
        .isEqualTo("8");
  }

  @Test
  void neverReplacesALaterEpoch() {
    know("1");
    fixture
        .api
        .on(STATUS, 409, refusal(409, "modified"))
        .on("GET " + TRAIN_PATH, 200, stored("8", 9));

    fixture.run(writeRecord(3));

    assertThat(fixture.answers)
        .containsExactly(
            new Event.RecordAhead(TRAIN, 2, 9), new Event.RecordWritten(TRAIN, 3, false));
    assertThat(fixture.api.lines()).containsExactly(STATUS, "GET " + TRAIN_PATH);
  }

  @Test
  void numbersThatNobodyCountsToAreReplaced() {
    know("1");
    var edited =
        stored("8", Long.MAX_VALUE)
            .replace("\"incarnation\": 2", "\"incarnation\": " + Long.MAX_VALUE);
    fixture
        .api
        .on(STATUS, 409, refusal(409, "modified"))
        .on(STATUS, 200, stored("9", 3))
        .on("GET " + TRAIN_PATH, 200, edited);

    fixture.run(writeRecord(3));

    assertThat(fixture.answers).containsExactly(new Event.RecordWritten(TRAIN, 3, true));
  }

  @Test
  void makesAnewWhatAUserHasDeleted() {
    know("1");
    fixture
        .api
        .on(STATUS, 404, refusal(404, "gone"))
        .on(STATUS, 200, stored("3", 1))
        .on("POST " + GANGS, 201, object("2", "koordinator"));

    fixture.run(writeRecord(1));

    assertThat(fixture.answers).containsExactly(new Event.RecordWritten(TRAIN, 1, true));
  }

  /** It has outlived what was known of the gang: the gang is to go on after it. */
  @Test
  void aLaterLifeThatIsStoredIsTold() {
    var status = GangObjects.statusOf(record(Phase.RUNNING, 7), report(Phase.RUNNING, "all run"));
    fixture.directory.put(TRAIN, new KnownGang("train", "g", "1", 2, Optional.of(status)));
    var ahead = new Event.RecordAhead(TRAIN, status.incarnation(), 7);

    fixture.run(writeRecord(1));
    fixture.run(writeReport("no room"));

    assertThat(fixture.api.calls()).isEmpty();
    assertThat(fixture.answers)
        .startsWith(ahead, new Event.RecordWritten(TRAIN, 1, false))
        .endsWith(ahead);
  }

  @Test
  void givesARecordUpWhenItsTimeIsOver() {
    know("1");
    fixture.api.on(STATUS, 500, refusal(500, "etcd"));

    fixture.run(writeRecord(1));

    assertThat(fixture.answers).containsExactly(new Event.RecordWritten(TRAIN, 1, false));
    assertThat(fixture.api.calls()).hasSizeBetween(3, 6);
    assertThat(fixture.counted).containsExactly("RECORD FAILED");
  }

  @Test
  void correctsMinAvailableWhereItHasChanged() {
    fixture.directory.put(TRAIN, new KnownGang("train", "g", "1", 5, Optional.empty()));
    fixture
        .api
        .on("PATCH " + TRAIN_PATH, 200, object("2", "koordinator"))
        .on(STATUS, 200, stored("3", 1));

    fixture.run(writeRecord(1));

    assertThat(fixture.api.lines()).containsExactly("PATCH " + TRAIN_PATH, STATUS);
    assertThat(fixture.api.calls().getFirst().body().at("/spec/minAvailable").asInt()).isEqualTo(2);
  }

  @Test
  void onlyTheNewestReportIsWritten() {
    know("1");
    fixture.api.on(STATUS, 200, stored("2", 1));
    fixture.atOnce = false;
    fixture.run(writeReport("first"));
    fixture.run(writeReport("second"), writeReport("third"));

    fixture.waiting.forEach(Runnable::run);

    assertThat(fixture.api.calls()).hasSize(1);
    assertThat(fixture.api.calls().getFirst().body().at("/status/message").asText())
        .isEqualTo("third");
  }

  @Test
  void aRecordTakesThePlaceOfAReportThatWaits() {
    know("1");
    fixture.api.on(STATUS, 200, stored("2", 1));
    fixture.atOnce = false;
    fixture.run(writeReport("first"), writeRecord(1));

    fixture.waiting.forEach(Runnable::run);

    assertThat(fixture.api.calls()).hasSize(1);
    assertThat(fixture.api.calls().getFirst().body().at("/status/phase").asText())
        .isEqualTo("Binding");
  }

  @Test
  void aReportIsTriedUntilANewerOneTakesItsPlace() {
    know("1");
    fixture.api.on(STATUS, 503, "").on(STATUS, 503, "").on(STATUS, 200, stored("2", 1));
    fixture.keepLaterWork();

    fixture.run(writeReport("first"));
    fixture.later.remove().run();
    fixture.run(writeReport("second"));
    fixture.later.remove().run();

    assertThat(fixture.later).isEmpty();
    assertThat(fixture.api.calls())
        .extracting(call -> call.body().at("/status/message").asText())
        .containsExactly("first", "first", "second");
  }

  /** As while its definition is not there: nobody asks for it again. */
  @Test
  void aReportThatIsRefusedIsTriedAgain() {
    fixture
        .api
        .on("POST " + GANGS, 404, refusal(404, "the server could not find the resource"))
        .on("POST " + GANGS, 403, refusal(403, "forbidden"))
        .on("POST " + GANGS, 201, object("1", "koordinator"))
        .on(STATUS, 200, stored("2", 1));
    fixture.keepLaterWork();

    fixture.run(writeReport("no room"));
    fixture.later.remove().run();
    fixture.later.remove().run();

    assertThat(fixture.later).isEmpty();
    assertThat(fixture.counted).containsExactly("REPORT FAILED", "REPORT DONE");
  }

  @Test
  void writesNothingThatIsStoredAlready() {
    var status = GangObjects.statusOf(record(Phase.WAITING, 1), report(Phase.WAITING, "no room"));
    fixture.directory.put(TRAIN, new KnownGang("train", "g", "1", 2, Optional.of(status)));

    fixture.run(writeReport("no room"));

    assertThat(fixture.api.calls()).isEmpty();
    assertThat(fixture.counted).containsExactly("REPORT NEEDLESS");
  }

  @Test
  void forgettingDeletesTheObjectByItsUid() {
    know("1");
    fixture.api.on("DELETE " + TRAIN_PATH, 200, "{}");

    fixture.run(new Effect.Forget(TRAIN));
    fixture.run(new Effect.Forget(TRAIN));

    assertThat(fixture.api.calls()).hasSize(1);
    assertThat(fixture.api.calls().getFirst().body().at("/preconditions/uid").asText())
        .isEqualTo("g");
    assertThat(fixture.directory.find(TRAIN)).isEmpty();
  }

  /** An API server that is away for longer than a write waits would leave it there for ever. */
  @Test
  void anObjectThatCouldNotBeDeletedIsDeletedLater() {
    know("1");
    for (int tried = 0; tried < 10; tried++) {
      fixture.api.on("DELETE " + TRAIN_PATH, 503, "");
    }
    fixture.api.on("DELETE " + TRAIN_PATH, 200, "{}");

    fixture.run(new Effect.Forget(TRAIN));

    assertThat(fixture.api.calls()).hasSize(11);
    assertThat(fixture.directory.find(TRAIN)).isEmpty();
  }

  @Test
  void theObjectOfAGangThatHasComeBackIsNotDeletedLater() {
    know("1");
    fixture.atOnce = false;
    fixture.api.on("DELETE " + TRAIN_PATH, 503, "").on(STATUS, 200, stored("2", 1));

    fixture.run(new Effect.Forget(TRAIN), writeReport("no room"));
    while (!fixture.waiting.isEmpty()) {
      fixture.waiting.remove().run();
    }

    assertThat(fixture.api.lines()).endsWith(STATUS);
    assertThat(fixture.directory.find(TRAIN)).isPresent();
  }

  @Test
  void announcesOnTheObject() {
    know("1");
    fixture.api.on("POST /api/v1/namespaces/ml/events", 201, "{}");

    fixture.run(new Effect.Announce(TRAIN, false, "Satisfied", "2 of 2 members are bound"));

    var event = fixture.api.calls().getFirst().body();
    assertThat(event.at("/involvedObject/kind").asText()).isEqualTo("Gang");
    assertThat(event.at("/involvedObject/uid").asText()).isEqualTo("g");
    assertThat(event.at("/type").asText()).isEqualTo("Normal");
  }

  private void know(String resourceVersion) {
    fixture.directory.put(TRAIN, new KnownGang("train", "g", resourceVersion, 2, Optional.empty()));
  }

  private static Effect writeRecord(long epoch) {
    return new Effect.WriteRecord(record(Phase.BINDING, epoch), report(Phase.BINDING, ""));
  }

  private static Effect writeReport(String message) {
    return new Effect.WriteReport(record(Phase.WAITING, 1), report(Phase.WAITING, message));
  }

  private static String object(String resourceVersion, String dialect) {
    return """
    {"apiVersion": "muster.io/v1alpha1", "kind": "Gang",
     "metadata": {"name": "train", "namespace": "ml", "uid": "g", "resourceVersion": "%s"},
     "spec": {"dialect": "%s", "gangName": "train", "minAvailable": 2}}\
    """
        .formatted(resourceVersion, dialect);
  }

  private static String stored(String resourceVersion, long epoch) {
    return """
    {"apiVersion": "muster.io/v1alpha1", "kind": "Gang",
     "metadata": {"name": "train", "namespace": "ml", "uid": "g", "resourceVersion": "%s"},
     "spec": {"dialect": "koordinator", "gangName": "train", "minAvailable": 2},
     "status": {"phase": "Binding", "incarnation": 2, "epoch": %d}}\
    """
        .formatted(resourceVersion, epoch);
  }
}
