package io.muster.extender.kube.write;

import static io.muster.extender.kube.ScriptedApi.refusal;
import static io.muster.extender.kube.gang.Gangs.TRAIN;
import static io.muster.extender.kube.gang.Gangs.record;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Markings.NativeGroup;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event.CompanionsEnsured;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.kube.gang.KnownGang;
import io.muster.extender.kube.gang.NativePodGroups;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The PodGroup of a gang at the API server. */
final class GroupWritesTest {

  private static final String NAME = NativeGroup.nameOf(TRAIN);
  private static final String GROUPS = "/apis/scheduling.k8s.io/v1alpha2/namespaces/ml/podgroups";
  private static final String CREATE = "POST " + GROUPS;
  private static final String READ = "GET " + GROUPS + "/" + NAME;
  private static final String CHANGE = "PATCH " + GROUPS + "/" + NAME;
  private static final String DELETE = "DELETE " + GROUPS + "/" + NAME;
  private static final String POD = "GET /api/v1/namespaces/ml/pods/a";
  private static final PodKey EXAMPLE = new PodKey("ml", "a", "uid-a");

  private final WritesFixture fixture = new WritesFixture();

  @BeforeEach
  void serve() {
    fixture.directory.put(TRAIN, new KnownGang("train", "g", "1", 2, Optional.empty()));
    for (var version : NativePodGroups.VERSIONS) {
      var resources = version.equals("v1alpha2") ? "{\"name\":\"podgroups\"}" : "";
      fixture.api.on(
          "GET /apis/scheduling.k8s.io/" + version,
          200,
          "{\"resources\":[%s]}".formatted(resources));
    }
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private Optional<CompanionsEnsured.Obstacle> ensured(int minCount, Optional<PodKey> example) {
    return ensured(minCount, example, false);
  }

  private Optional<CompanionsEnsured.Obstacle> ensured(
      int minCount, Optional<PodKey> example, boolean hasStarted) {
    fixture.run(
        new Effect.EnsureCompanions(
            record(Phase.PLANNED, 1),
            false,
            Optional.of(
                new Effect.Group(
                    minCount, example, example.isPresent(), Optional.of(0), hasStarted))));
    assertThat(fixture.answers).hasSize(1);
    return ((CompanionsEnsured) fixture.answers.getFirst()).obstacle();
  }

  private static String group(String label, int minCount) {
    return "{\"metadata\":{\"uid\":\"p\",\"labels\":{\"app.kubernetes.io/managed-by\":\"%s\"}},\"spec\":{\"schedulingPolicy\":{\"gang\":{\"minCount\":%d}}}}"
        .formatted(label, minCount);
  }

  @Test
  void theControllerOfAllMembersOwnsTheGroup() {
    fixture
        .api
        .on(
            POD,
            200,
            "{\"metadata\":{\"ownerReferences\":[{\"apiVersion\":\"batch/v1\",\"kind\":\"Job\",\"name\":\"j\",\"uid\":\"u\",\"controller\":true}]}}")
        .on(CREATE, 201, group("muster", 3));
    assertThat(ensured(3, Optional.of(EXAMPLE))).isEmpty();
    var body = fixture.api.calls().getLast().body();
    assertThat(body.at("/metadata/name").asText()).isEqualTo(NAME);
    assertThat(body.at("/metadata/ownerReferences/0/kind").asText()).isEqualTo("Job");
    assertThat(body.at("/metadata/ownerReferences/0/controller").isMissingNode()).isTrue();
    assertThat(body.at(NativePodGroups.MIN_COUNT).asInt()).isEqualTo(3);
  }

  @Test
  void membersWithoutOneControllerHaveTheGangOwnIt() {
    fixture.api.on(CREATE, 201, group("muster", 3));
    assertThat(ensured(3, Optional.empty())).isEmpty();
    assertThat(fixture.api.calls().getLast().body().at("/metadata/ownerReferences/0/uid").asText())
        .isEqualTo("g");
  }

  @Test
  void itsOwnIsFoundAgain() {
    fixture.api.on(CREATE, 409, refusal(409, "exists")).on(READ, 200, group("muster", 3));
    assertThat(ensured(3, Optional.empty())).isEmpty();
  }

  @Test
  void oneOfSomebodyElseIsLeftAlone() {
    fixture.api.on(CREATE, 409, refusal(409, "exists")).on(READ, 200, group("argo", 1));
    assertThat(ensured(3, Optional.empty()))
        .hasValueSatisfying(obstacle -> {
          assertThat(obstacle.reason()).isEqualTo(Reason.POD_GROUP);
          assertThat(obstacle.message()).contains(NAME).contains("not Muster's");
        });
    assertThat(fixture.api.lines()).noneMatch(line -> line.equals(CHANGE) || line.equals(DELETE));
  }

  @Test
  void anotherMinimumIsWrittenWhereTheApiServerLets() {
    fixture
        .api
        .on(CREATE, 409, refusal(409, "exists"))
        .on(READ, 200, group("muster", 2))
        .on(CHANGE, 200, group("muster", 3));
    assertThat(ensured(3, Optional.empty())).isEmpty();
  }

  private static String going(int minCount) {
    return group("muster", minCount)
        .replace(
            "\"uid\":\"p\"",
            "\"uid\":\"p\",\"resourceVersion\":\"7\",\"deletionTimestamp\":\"2026-01-01T00:00:00Z\","
                + "\"finalizers\":[\"%s\",\"x/y\"]".formatted(NativePodGroups.FINALIZER));
  }

  private void mayBeMadeAnew(int before, int after) {
    fixture
        .api
        .on(CREATE, 409, refusal(409, "exists"))
        .on(READ, 200, group("muster", before))
        .on(CHANGE, 422, refusal(422, "field is immutable"))
        .on(DELETE, 200, going(before))
        .on(READ, 200, going(before))
        .on(CHANGE, 200, group("muster", before))
        .on(CREATE, 201, group("muster", after));
  }

  /** Nobody has started: the group is made anew though pods name it, which a finalizer forbids. */
  @Test
  void whereItDoesNotTheGroupIsMadeAnew() {
    mayBeMadeAnew(2, 3);
    assertThat(ensured(3, Optional.empty())).isEmpty();
    var calls = fixture.api.calls();
    var freed = calls.get(calls.size() - 2).body();
    assertThat(freed.at("/metadata/uid").asText()).isEqualTo("p");
    assertThat(freed.at("/metadata/resourceVersion").asText()).isEqualTo("7");
    assertThat(freed.at("/metadata/finalizers"))
        .singleElement()
        .satisfies(left -> assertThat(left.asText()).isEqualTo("x/y"));
    assertThat(fixture.api.lines()).endsWith(DELETE, READ, CHANGE, CREATE);
  }

  @Test
  void whatKeepsItFromBeingMadeAnewIsSaidWithWhatToDo() {
    fixture
        .api
        .on(CREATE, 409, refusal(409, "exists"))
        .on(READ, 200, group("muster", 2))
        .on(CHANGE, 422, refusal(422, "field is immutable"))
        .on(DELETE, 403, refusal(403, "no right"));
    var obstacle = ensured(3, Optional.empty()).orElseThrow();
    assertThat(obstacle.message()).contains("minCount 2 in place of 3").contains("no right");
    assertThat(obstacle.remedy()).contains("delete all pods of the gang at once");
  }

  /** Those that run count for it: whoever joins is bound beside them. */
  @Test
  void theGroupOfAGangThatHasStartedStaysWhereItAsksForLess() {
    fixture.api.on(CREATE, 409, refusal(409, "exists")).on(READ, 200, group("muster", 2));
    assertThat(ensured(3, Optional.empty(), true)).isEmpty();
    assertThat(fixture.api.lines()).endsWith(READ);
  }

  /** Some have succeeded, and kube-scheduler does not see them: it would wait for ever. */
  @Test
  void theGroupOfAGangThatHasStartedIsMadeAnewWhereItAsksForMore() {
    mayBeMadeAnew(3, 2);
    assertThat(ensured(2, Optional.empty(), true)).isEmpty();
    assertThat(fixture.api.lines()).endsWith(DELETE, READ, CHANGE, CREATE);
  }

  /** As by a ResourceQuota of another team, as often as its gangs are tried. */
  @Test
  void aRefusalInOneNamespaceDisturbsNoGangOfAnother() throws InterruptedException {
    var other = new GangId(Dialect.KOORDINATOR, "other", "train");
    fixture.directory.put(other, new KnownGang("train", "o", "1", 2, Optional.empty()));
    fixture
        .api
        .on(CREATE, 409, refusal(409, "exists"))
        .on(READ, 200, group("muster", 3))
        .on(CREATE.replace("/ml/", "/other/"), 403, refusal(403, "exceeded quota"));
    var held = fixture.api.hold(CREATE);
    var lane = Thread.startVirtualThread(() -> fixture.run(ensure(record(Phase.PLANNED, 1))));
    await().until(() -> fixture.api.lines().contains(CREATE));
    fixture.run(
        ensure(
            new GangRecord(
                other,
                2,
                1,
                Phase.PLANNED,
                2,
                true,
                Map.of(),
                Optional.of("job-uid"),
                Optional.empty())));
    held.countDown();
    lane.join();
    assertThat(fixture.answers)
        .extracting(CompanionsEnsured.class::cast)
        .extracting(CompanionsEnsured::gang, answer -> answer.obstacle().isPresent())
        .containsExactly(tuple(other, true), tuple(TRAIN, false));
  }

  private static Effect.EnsureCompanions ensure(GangRecord gang) {
    return new Effect.EnsureCompanions(
        gang,
        false,
        Optional.of(new Effect.Group(3, Optional.empty(), false, Optional.of(0), false)));
  }
}
