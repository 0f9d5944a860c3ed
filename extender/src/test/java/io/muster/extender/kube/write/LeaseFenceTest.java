package io.muster.extender.kube.write;

import static io.muster.extender.kube.ScriptedApi.refusal;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.kube.gang.Gangs;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a process may still write that holds the lease for a moment only. */
final class LeaseFenceTest {

  private static final PodKey POD = new PodKey("ml", "w-0", "u-0");
  private static final String PATH = "/api/v1/namespaces/ml/pods/w-0";
  private static final String FOUND =
      """
      {"metadata": {"uid": "u-0", "ownerReferences": [{"controller": true, "kind": "ReplicaSet",
       "apiVersion": "apps/v1", "name": "r", "uid": "r-0"}]}, "spec": {}}\
      """;

  private final WritesFixture fixture = new WritesFixture();

  @AfterEach
  void stop() {
    fixture.close();
  }

  static List<Effect> everyWrite() {
    var record = Gangs.record(Phase.BINDING, 1);
    var report = Gangs.report(Phase.BINDING, "");
    return List.of(
        new Effect.Evict(POD, "it starts again"),
        new Effect.Remake(POD, "there is room elsewhere"),
        new Effect.Ungate(POD, Optional.empty()),
        new Effect.Wake(POD, 1),
        new Effect.Explain(POD, "no room", true),
        new Effect.Show(POD, "no room", true),
        new Effect.Warn(POD, "MemberUnmarked", "it runs alone"),
        new Effect.Announce(Gangs.TRAIN, true, "BelowMinimum", "too few"),
        new Effect.WriteRecord(record, report),
        new Effect.WriteReport(record, report),
        new Effect.Bind(Gangs.TRAIN, POD, "n1", 1, true, Effect.Location.UNTOLD));
  }

  @ParameterizedTest
  @MethodSource("everyWrite")
  void nothingIsWrittenThatMayArriveAfterTheLeaseHasEnded(Effect effect) {
    if (effect instanceof Effect.WriteReport) {
      // It is tried until it is stored.
      fixture.keepLaterWork();
    }
    fixture.api.on("GET " + PATH, 200, FOUND);
    fixture.leaseUntil = fixture.now.plus(WritesFixture.REQUEST).minusMillis(500);

    fixture.run(effect);

    assertThat(fixture.api.lines()).allMatch(line -> line.startsWith("GET "));
  }

  @Test
  void aPodIsNotEndedByATryThatComesTooLate() {
    fixture.api.on("GET " + PATH, 200, FOUND);
    fixture.api.on("PATCH " + PATH + "/status", 200, "{}");
    fixture.api.on("DELETE " + PATH, 500, refusal(500, "etcd"));
    fixture.leaseUntil = fixture.now.plus(WritesFixture.REQUEST).plusMillis(50);

    fixture.run(new Effect.Evict(POD, "it starts again"));

    assertThat(fixture.api.lines())
        .as("the second try would end after the lease")
        .containsOnlyOnce("DELETE " + PATH);
    assertThat(fixture.counted).containsExactly("EVICT FAILED");
  }

  @Test
  void aRecordThatMayNotBeWrittenIsAnsweredAsNotStored() {
    fixture.leaseUntil = fixture.now.plus(WritesFixture.REQUEST).minusMillis(500);

    fixture.run(
        new Effect.WriteRecord(Gangs.record(Phase.BINDING, 1), Gangs.report(Phase.BINDING, "")));

    assertThat(fixture.answers)
        .singleElement()
        .isInstanceOfSatisfying(
            Event.RecordWritten.class, written -> assertThat(written.stored()).isFalse());
  }
}
