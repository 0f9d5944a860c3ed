package io.muster.extender.kube.write;

import static io.muster.extender.kube.ScriptedApi.refusal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.kube.ScriptedApi;
import java.lang.Thread.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Members that are ended: their owner does not take that for a failure. */
final class PodEndingsTest {

  private static final PodKey POD = new PodKey("ml", "w-0", "u0");
  private static final GangId OTHER = new GangId(Dialect.MUSTER, "speech", "owner");
  private static final String PATH = "/api/v1/namespaces/ml/pods/w-0";
  private static final String JOB = "/apis/batch/v1/namespaces/ml/jobs/j";
  private static final Effect.Remake REMAKE = new Effect.Remake(POD, "room elsewhere");

  private static final String IGNORES =
      """
      {"spec": {"podFailurePolicy": {"rules": [
        {"action": "FailJob", "onExitCodes": {}},
        {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]}}}
      """;

  private static final String COUNTS =
      """
      {"spec": {"backoffLimit": 6, "selector": {"matchLabels": {
        "batch.kubernetes.io/controller-uid": "j1"}}}}
      """;

  private final WritesFixture fixture = new WritesFixture();

  @AfterEach
  void close() {
    fixture.close();
  }

  private static String pod(String uid, String kind, String spec) {
    return """
    {"metadata": {"uid": "%s", "ownerReferences": [
      {"apiVersion": "%s", "kind": "%s", "name": "j", "uid": "j1", "controller": true}]},
     "spec": {%s}}
    """
        .formatted(uid, kind.equals("Job") ? "batch/v1" : "x.io/v1", kind, spec);
  }

  /** It is there and can be marked. */
  private ScriptedApi theMemberIs(String pod) {
    return fixture.api.on("GET " + PATH, 200, pod).on("PATCH " + PATH + "/status", 200, "{}");
  }

  private List<String> remade() {
    fixture.run(REMAKE);
    return fixture.api.calls().stream().map(call -> call.method() + " " + call.path()).toList();
  }

  /** Of eight requests at once one is for Events. */
  @Test
  void noEndWaitsForEvents() throws InterruptedException {
    theMemberIs(pod("u0", "ReplicaSet", "")).on("DELETE " + PATH, 200, "{}");
    var events = "POST /api/v1/namespaces/ml/events";
    var storm = fixture.api.hold(events);
    var told = new ArrayList<Thread>();
    for (var uid : List.of("u1", "u2", "u3")) {
      var warning = new Effect.Warn(new PodKey("ml", uid, uid), "MemberUnmarked", "it runs alone");
      told.add(Thread.startVirtualThread(() -> fixture.run(warning)));
    }
    await().until(() -> told.stream().allMatch(it -> it.getState() == State.TIMED_WAITING));
    assertThat(fixture.api.lines()).containsOnly(events);

    var ended = Thread.startVirtualThread(() -> fixture.run(REMAKE));

    assertThat(ended.join(Duration.ofSeconds(10))).isTrue();
    assertThat(fixture.api.lines()).endsWith("DELETE " + PATH);
    storm.countDown();
    for (var thread : told) {
      thread.join();
    }
  }

  @Test
  void withinTheLongestGracePeriodWhereItStatesALongerOne() {
    theMemberIs(pod("u0", "ReplicaSet", "\"terminationGracePeriodSeconds\": 1000000"))
        .on("DELETE " + PATH, 200, "{}");

    fixture.run(new Effect.Evict(POD, "it makes room", Duration.ofMinutes(10), OTHER));

    var options = fixture.api.calls().getLast().body();
    assertThat(options.path("gracePeriodSeconds").asLong()).isEqualTo(600);
    assertThat(options.at("/preconditions/uid").asText()).isEqualTo("u0");
  }

  @Test
  void withinTheLongestGracePeriodWhereItIsBeingDeletedWithALongerOne() {
    theMemberIs(
            """
            {"metadata": {"uid": "u0", "deletionGracePeriodSeconds": 1000000},
             "spec": {"terminationGracePeriodSeconds": 5}}
            """)
        .on("DELETE " + PATH, 200, "{}");

    fixture.run(new Effect.Evict(POD, "it makes room", Duration.ofMinutes(10), OTHER));

    assertThat(fixture.api.calls().getLast().body().path("gracePeriodSeconds").asLong())
        .isEqualTo(600);
  }

  @Test
  void withItsOwnGracePeriodWhereThatIsNoLonger() {
    theMemberIs(pod("u0", "ReplicaSet", "\"terminationGracePeriodSeconds\": 600"))
        .on("DELETE " + PATH, 200, "{}");

    fixture.run(new Effect.Evict(POD, "it makes room", Duration.ofMinutes(10), OTHER));

    assertThat(fixture.api.calls().getLast().body().has("gracePeriodSeconds")).isFalse();
  }

  @Test
  void withNoticeWhereTheJobIgnoresDisruptions() {
    theMemberIs(pod("u0", "Job", ""))
        .on("GET " + JOB, 200, IGNORES)
        .on("DELETE " + PATH, 200, "{}");

    assertThat(remade())
        .containsExactly(
            "GET " + PATH, "PATCH " + PATH + "/status", "GET " + JOB, "DELETE " + PATH);
    assertThat(fixture.api.calls().get(1).body().at("/status/conditions/0/type").asText())
        .isEqualTo("DisruptionTarget");
    assertThat(fixture.api.calls().getLast().body().at("/preconditions/uid").asText())
        .isEqualTo("u0");
    assertThat(fixture.counted).containsExactly("REMAKE DONE");
  }

  @Test
  void takenFromTheJobFirstWhereItWouldCountAFailure() {
    theMemberIs(pod("u0", "Job", ""))
        .on("GET " + JOB, 200, COUNTS)
        .on("PATCH " + PATH, 200, "{}")
        .on("DELETE " + PATH, 200, "{}");

    assertThat(remade())
        .containsExactly(
            "GET " + PATH,
            "PATCH " + PATH + "/status",
            "GET " + JOB,
            "PATCH " + PATH,
            "DELETE " + PATH);
    var freed = fixture.api.calls().get(3).body().at("/metadata");
    assertThat(freed.path("uid").asText()).isEqualTo("u0");
    assertThat(freed.path("labels").path("batch.kubernetes.io/controller-uid").isNull()).isTrue();
    assertThat(freed.path("ownerReferences")).hasSize(1);
    assertThat(freed.at("/ownerReferences/0/uid").asText()).isEqualTo("freed-u0");
    assertThat(freed.at("/ownerReferences/0").has("controller")).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"TerminatingOrFailed, false", "Failed, true"})
  void markedWhereTheJobReplacesThoseThatHaveEndedAlone(String policy, boolean isMarked) {
    var replacing = "\"podReplacementPolicy\": \"%s\", \"selector\"".formatted(policy);
    theMemberIs(pod("u0", "Job", ""))
        .on("GET " + JOB, 200, COUNTS.replace("\"selector\"", replacing))
        .on("PATCH " + PATH, 200, "{}")
        .on("DELETE " + PATH, 200, "{}");

    fixture.run(new Effect.Evict(POD, "it makes room"));

    assertThat(
            fixture
                .api
                .calls()
                .get(3)
                .body()
                .at("/metadata/labels")
                .path(GangKeys.ENDS_FIRST)
                .asText())
        .isEqualTo(isMarked ? "j1" : "");
  }

  /** The first rule that matches a pod decides what its Job does about it. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'action': 'FailJob', 'onPodConditions': [{'type': 'DisruptionTarget'}]}",
        "{'action': 'Count', 'onPodConditions': [{'type': 'DisruptionTarget', 'status': 'True'}]}",
        "{'action': 'FailJob', 'onExitCodes': {'operator': 'NotIn', 'values': [42]}}",
        "{'action': 'FailIndex', 'onExitCodes': {'operator': 'In', 'values': [1, 143]}}",
        "{'action': 'Ignore', 'onPodConditions': [{'type': 'DisruptionTarget', 'status': 'False'}]}"
      })
  void takenFromTheJobWhereARuleBeforeCountsIt(String before) {
    theMemberIs(pod("u0", "Job", ""))
        .on("GET " + JOB, 200, withRule(before, before.contains("False") ? "Count" : "Ignore"))
        .on("PATCH " + PATH, 200, "{}")
        .on("DELETE " + PATH, 200, "{}");

    assertThat(remade()).contains("PATCH " + PATH, "DELETE " + PATH);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'action': 'FailJob', 'onPodConditions': [{'type': 'ConfigIssue'}]}",
        "{'action': 'Count', 'onPodConditions': [{'type': 'DisruptionTarget', 'status': 'False'}]}",
        "{'action': 'FailJob', 'onExitCodes': {'operator': 'In', 'values': [42]}}",
        "{'action': 'FailJob', 'onExitCodes': {'operator': 'NotIn', 'values': [137, 143]}}",
        "{'action': 'Ignore', 'onExitCodes': {'operator': 'In', 'values': [143]}}"
      })
  void leftWithTheJobWhereNoRuleBeforeIsForIt(String before) {
    theMemberIs(pod("u0", "Job", ""))
        .on("GET " + JOB, 200, withRule(before, "Ignore"))
        .on("DELETE " + PATH, 200, "{}");

    assertThat(remade()).contains("DELETE " + PATH).doesNotContain("PATCH " + PATH);
  }

  private static String withRule(String before, String action) {
    return """
    {"spec": {"selector": {"matchLabels": {"job-name": "j"}}, "podFailurePolicy": {"rules": [
      %s, {"action": "%s", "onPodConditions": [{"type": "DisruptionTarget"}]}]}}}
    """
        .formatted(before.replace('\'', '"'), action);
  }

  @Test
  void notEndedWhereTheJobDoesNotLetGo() {
    theMemberIs(pod("u0", "Job", ""))
        .on("GET " + JOB, 200, COUNTS)
        .on("PATCH " + PATH, 403, refusal(403, "no"));

    assertThat(remade()).doesNotContain("DELETE " + PATH);
    assertThat(fixture.counted).containsExactly("REMAKE FAILED");
  }

  @Test
  void notWhereTheJobCannotBeRead() {
    theMemberIs(pod("u0", "Job", "")).on("GET " + JOB, 403, refusal(403, "no"));

    assertThat(remade()).doesNotContain("DELETE " + PATH);
  }

  @Test
  void whereTheirJobIsGone() {
    theMemberIs(pod("u0", "Job", ""))
        .on("GET " + JOB, 404, refusal(404, "gone"))
        .on("DELETE " + PATH, 200, "{}");

    assertThat(remade()).contains("DELETE " + PATH);
  }

  /** The API server takes any text, and looks such owners up in its own way. */
  @ParameterizedTest
  @ValueSource(strings = {"./j", "../jobs/j", "no job", "%", "j?watch=true", ".."})
  void whateverTheirUserHasWrittenAsTheNameOfAJob(String name) {
    theMemberIs(pod("u0", "Job", "").replace("\"j\"", '"' + name + '"'))
        .on("DELETE " + PATH, 200, "{}");

    fixture.run(new Effect.Evict(POD, "it makes room"));

    assertThat(fixture.api.lines())
        .containsExactly("GET " + PATH, "PATCH " + PATH + "/status", "DELETE " + PATH);
  }

  @Test
  void whereAnyOtherOwnerKeepsThem() {
    theMemberIs(pod("u0", "ElasticJob", "")).on("DELETE " + PATH, 200, "{}");

    assertThat(remade()).contains("DELETE " + PATH);
  }

  @Test
  void notOnceTheyAreOnANodeOrAreOthers() {
    fixture
        .api
        .on("GET " + PATH, 200, pod("u0", "ElasticJob", "\"nodeName\": \"n1\""))
        .on("GET " + PATH, 200, pod("another", "ElasticJob", ""));

    assertThat(remade()).containsExactly("GET " + PATH);
    assertThat(remade()).containsExactly("GET " + PATH, "GET " + PATH);
  }

  @Test
  void anEvictedMemberIsMarkedBeforeItIsDeletedAndKeepsItsGracePeriod() {
    theMemberIs(pod("u0", "ElasticJob", "\"nodeName\": \"n1\"")).on("DELETE " + PATH, 200, "{}");

    fixture.run(new Effect.Evict(POD, "the gang is undone"));

    assertThat(fixture.api.lines())
        .containsExactly("GET " + PATH, "PATCH " + PATH + "/status", "DELETE " + PATH);
    assertThat(fixture.api.calls().getLast().body().has("gracePeriodSeconds")).isFalse();
  }

  @Test
  void anEvictedMemberIsTakenFromItsJobToo() {
    theMemberIs(pod("u0", "Job", "\"nodeName\": \"n1\""))
        .on("GET " + JOB, 200, COUNTS)
        .on("PATCH " + PATH, 200, "{}")
        .on("DELETE " + PATH, 200, "{}");

    fixture.run(new Effect.Evict(POD, "the gang is undone"));

    assertThat(fixture.api.lines()).endsWith("PATCH " + PATH, "DELETE " + PATH);
  }

  @Test
  void doesNotDeleteWhatItCouldNotMark() {
    fixture
        .api
        .on("GET " + PATH, 200, pod("u0", "ElasticJob", ""))
        .on("PATCH " + PATH + "/status", 403, refusal(403, "forbidden"));

    fixture.run(new Effect.Evict(POD, "the gang is undone"));

    assertThat(fixture.api.lines()).doesNotContain("DELETE " + PATH);
    assertThat(fixture.counted).containsExactly("EVICT FAILED");
  }
}
