package io.muster.controller.kinds.di.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.controller.api.Condition;
import io.muster.controller.kinds.di.api.DIJobStatus;
import io.muster.controller.kinds.di.coordinator.WorkerRequest;
import io.muster.controller.kinds.di.server.call.Access;
import io.muster.controller.kinds.di.server.call.DiReply;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Coordinators that ask for workers, in virtual time. */
final class HeldCallsTest {

  private static final String PATH = "/v1alpha1/replicas";
  private static final String ASKED =
      "{\"namespace\":\"ml\",\"coordinator\":\"qbert-coordinator\",\"collectors\":{\"replicas\":2},"
          + "\"learners\":{\"replicas\":1}}";

  private final PlayedCluster cluster = new PlayedCluster(PlayedCluster.COORDINATED);
  private final DiApi server = cluster.server();

  @BeforeEach
  void theCoordinatorRuns() {
    cluster.run();
    assertThat(cluster.names("coordinator")).containsExactly("qbert-coordinator");
  }

  private CompletableFuture<DiReply> post(DiApi at) {
    return cluster.ask(at, PlayedCluster.call("POST", PATH, "", ASKED));
  }

  private static DiReply.Urls urls(CompletableFuture<DiReply> answer) {
    assertThat(answer).isCompleted();
    assertThat(answer.join().isSuccess()).as(answer.join().toString()).isTrue();
    return (DiReply.Urls) answer.join().data().orElseThrow();
  }

  @Test
  void aCallIsHeldUntilTheLastPodIsReady() {
    var answer = post(server);
    var workers = cluster.names("collector");
    assertThat(workers).hasSize(2);
    workers.forEach(cluster::runs);
    assertThat(answer).isNotDone();
    cluster.pass(Duration.ofHours(9));
    assertThat(answer).isNotDone();

    cluster.run();
    assertThat(urls(answer).collectors())
        .containsExactlyInAnyOrderElementsOf(
            workers.stream().map(name -> name + ".ml:22270").toList());
    assertThat(urls(answer).learners()).singleElement().asString().endsWith(".ml:22271");
    assertThat(cluster.requests().requests())
        .singleElement()
        .satisfies(request -> assertThat(request.readyAt()).isNotNull());
  }

  @Test
  void aRepeatedCallJoinsTheOneThatWaitsAlsoInAnotherProcess() {
    var first = post(server);
    var second = post(server);
    var third = post(cluster.server());
    assertThat(cluster.requests().requests()).hasSize(1);
    cluster.run();
    assertThat(urls(second)).isEqualTo(urls(first));
    assertThat(urls(third)).isEqualTo(urls(first));
    assertThat(cluster.names("collector")).hasSize(2);
  }

  @Test
  void theSameWordsMeanMoreOnceTheyWereAnswered() {
    var first = post(server);
    cluster.run();
    var second = post(server);
    assertThat(second).isNotDone();
    cluster.run();
    assertThat(urls(second).collectors())
        .hasSize(2)
        .doesNotContainAnyElementsOf(urls(first).collectors());
    assertThat(cluster.names("collector")).hasSize(4);
  }

  @Test
  void whoHungUpBeforeTheAnswerIsGivenItWhenHeAsksAgain() {
    var gone = new CompletableFuture<Void>();
    var lost = cluster.ask(server, PlayedCluster.call("POST", PATH, "", ASKED, gone));
    gone.complete(null);
    cluster.settle();
    assertThat(lost).as("the wait is over").isDone();
    cluster.run();
    assertThat(cluster.requests().requests().getFirst().readyAt()).as("nobody looked").isNull();
    cluster.pass(Duration.ofSeconds(5));
    assertThat(urls(post(server)).collectors()).hasSize(2);
    assertThat(cluster.requests().requests()).hasSize(1);
  }

  @Test
  void anAnswerOfAnotherProcessIsRepeatedForHalfAMinute() {
    var _ = post(server);
    cluster.run();
    var other = cluster.server();
    cluster.pass(Duration.ofSeconds(29));
    assertThat(urls(post(other)).collectors()).hasSize(2);
    assertThat(cluster.requests().requests()).hasSize(1);

    var third = cluster.server();
    cluster.pass(Duration.ofSeconds(2));
    assertThat(post(third)).isNotDone();
    assertThat(cluster.requests().requests()).hasSize(2);
  }

  @Test
  void anotherCoordinatorBeginsAnew() {
    var _ = post(server);
    cluster.run();
    var before = cluster.names("collector");
    cluster.pods.remove("qbert-coordinator");
    cluster.settle();
    cluster.run();
    assertThat(cluster.names("collector")).isEqualTo(before);

    var answer = post(server);
    cluster.run();
    assertThat(urls(answer).collectors()).hasSize(2);
    assertThat(cluster.names("collector")).hasSize(2).doesNotContainAnyElementsOf(before);
    var _ = post(server);
    assertThat(cluster.requests().requests())
        .as("what is over is forgotten")
        .extracting(WorkerRequest::id)
        .containsExactly(2, 3);
  }

  @Test
  void aHoldThatEndsSaysHowFarItIsAndThePodsStayWanted() {
    var impatient =
        cluster.server(
            Optional.of(Duration.ofSeconds(100)), new Access(true, cluster, _ -> Optional.empty()));
    var answer = post(impatient);
    cluster.runs(cluster.names("learner").getFirst());
    cluster.pass(Duration.ofSeconds(99));
    assertThat(answer).isNotDone();
    cluster.pass(Duration.ofSeconds(1));
    assertThat(answer.join().status()).isEqualTo(200);
    assertThat(answer.join().isSuccess()).isFalse();
    assertThat(answer.join().message()).startsWith("1 of 3 pods are ready");

    cluster.run();
    assertThat(urls(post(impatient)).collectors()).hasSize(2);
    assertThat(cluster.requests().requests()).hasSize(1);
  }

  @Test
  void aHoldThatEndsSaysWhyPodsAreRefused() {
    var impatient =
        cluster.server(
            Optional.of(Duration.ofSeconds(100)), new Access(true, cluster, _ -> Optional.empty()));
    cluster.refusal = Optional.of("exceeded quota: gpus");
    var answer = post(impatient);
    cluster.pass(Duration.ofSeconds(100));
    assertThat(answer.join().message())
        .startsWith("0 of 3 pods are ready")
        .endsWith(": exceeded quota: gpus");
    assertThat(condition("PodsCreated")).isPresent();

    cluster.refusal = Optional.empty();
    cluster.pass(Duration.ofSeconds(1));
    assertThat(cluster.names("collector")).hasSize(2);
    assertThat(condition("PodsCreated")).isEmpty();
  }

  private Optional<Condition> condition(String type) {
    return cluster.job().getStatus().conditions().stream()
        .filter(condition -> condition.type().equals(type))
        .findFirst();
  }

  @Test
  void theEndOfTheJobEndsTheHold() {
    var ended = post(server);
    cluster.isControlled = false;
    cluster.job().setStatus(phase("Failed"));
    cluster.pass(Duration.ZERO);
    var again = post(server);
    assertThat(again.join().message()).contains("has ended (Failed)");
    cluster.remove();
    assertThat(ended.join().isSuccess()).isFalse();
    assertThat(ended.join().status()).isEqualTo(200);
  }

  private static DIJobStatus phase(String phase) {
    return new DIJobStatus(
        phase, List.of(), 0, 0, null, null, 0, 0, null, null, null, null, null, 1L, null);
  }

  @Test
  void aJobThatIsDeletedEndsTheHold() {
    var answer = post(server);
    cluster.remove();
    assertThat(answer.join().isSuccess()).isFalse();
    assertThat(answer.join().message()).contains("was deleted");
  }

  @Test
  void aSpoiltAnnotationCostsNoWorkerAndIsNotWrittenOver() {
    var held = post(server);
    cluster.annotate("two collectors, please");
    assertThat(cluster.names("collector")).hasSize(2);
    assertThat(cluster.job().getStatus().conditions())
        .filteredOn(condition -> condition.type().equals("WorkerRequestsReadable"))
        .singleElement()
        .satisfies(condition -> {
          assertThat(condition.status()).isEqualTo("False");
          assertThat(condition.message()).contains("is not of the form that Muster writes");
        });
    var more =
        cluster.ask(
            server,
            PlayedCluster.call(
                "POST", PATH, "", ASKED.replace("\"replicas\":2", "\"replicas\":5")));
    assertThat(more.join().status()).isEqualTo(200);
    assertThat(more.join().isSuccess()).isFalse();
    assertThat(more.join().message()).startsWith("annotation muster.io/worker-requests");

    cluster.run();
    assertThat(urls(held).collectors()).as("who waited is answered").hasSize(2);
    cluster.annotate(null);
    assertThat(cluster.names("collector")).hasSize(2);
    assertThat(cluster.job().getStatus().conditions())
        .noneMatch(condition -> condition.type().equals("WorkerRequestsReadable"));
    var _ = post(server);
    cluster.run();
    assertThat(cluster.names("collector")).as("more, beside those").hasSize(4);
  }

  @Test
  void whoIsSlowerThanOthersDecidesAnew() {
    cluster.conflicts = 3;
    var _ = post(server);
    assertThat(cluster.requests().requests()).hasSize(1);
    assertThat(cluster.names("collector")).hasSize(2);
    cluster.conflicts = 100;
    var answer =
        cluster.ask(server, PlayedCluster.call("POST", PATH, "", ASKED.replace("2", "3"))).join();
    assertThat(answer.isSuccess()).isFalse();
    assertThat(answer.status()).isEqualTo(200);
    assertThat(cluster.requests().requests()).hasSize(1);
  }

  @Test
  void workersThatAreGivenBackAreThoseThatTheControllerTakes() {
    var first = post(server);
    cluster.run();
    var answer =
        cluster.ask(
            server,
            PlayedCluster.call(
                "DELETE", PATH, "", ASKED.replace("\"replicas\":2", "\"replicas\":1")));
    assertThat(urls(answer).collectors()).hasSize(1);
    assertThat(urls(first).collectors()).containsAll(urls(answer).collectors());
    assertThat(urls(answer).learners()).isEqualTo(urls(first).learners());
    assertThat(cluster.names("collector"))
        .singleElement()
        .satisfies(name -> assertThat(urls(answer).collectors().getFirst()).doesNotStartWith(name));
  }

  @Test
  void withoutAControllerADeleteSaysThatNothingIsDecided() {
    var _ = post(server);
    cluster.run();
    cluster.isControlled = false;
    var answer = cluster.ask(server, PlayedCluster.call("DELETE", PATH, "", ASKED));
    assertThat(answer).isNotDone();
    cluster.pass(Duration.ofSeconds(5));
    assertThat(urls(answer).collectors()).isEmpty();
    assertThat(answer.join().message()).contains("as soon as a controller runs");
  }

  @Test
  void learnersOfSeveralGpusAreSetsThatGoAsAWhole() {
    var body =
        "{\"namespace\":\"ml\",\"coordinator\":\"qbert-coordinator\",\"learners\":{\"replicas\":2,\"gpus\":\"10\"}}";
    var answer = cluster.ask(server, PlayedCluster.call("POST", PATH, "", body));
    cluster.run();
    assertThat(urls(answer).learners()).hasSize(2).contains("qbert-aggregator.ml:22272");
    assertThat(cluster.names("ddp-learner")).hasSize(4);
    var behind =
        cluster.ask(
            server,
            PlayedCluster.call("GET", PATH, "namespace=ml&aggregator=qbert-aggregator", ""));
    assertThat(urls(behind).learners()).as("a process a GPU").hasSize(10);
    assertThat(urls(behind).coordinator()).isEqualTo("qbert-aggregator");

    var given =
        cluster.ask(server, PlayedCluster.call("DELETE", PATH, "", body.replace("2,", "1,")));
    assertThat(urls(given).learners()).hasSize(1);
    assertThat(cluster.names("ddp-learner")).hasSize(2);
    assertThat(cluster.names("aggregator")).hasSize(1);
  }

  @Test
  void aReportReplacesWhoHasBegunAndLeavesWhoWaits() {
    var _ = post(server);
    var waiting = cluster.names("collector");
    var runs = cluster.names("learner").getFirst();
    cluster.runs(runs);
    var report =
        "{\"namespace\":\"ml\",\"coordinator\":\"qbert-coordinator\",\"collectors\":[\"%1$s\",\"%1$s\"],\"learners\":[\"%2$s\",\"qbert-learner-zzzzz\"]}"
            .formatted(waiting.getFirst(), runs);
    var answer = cluster.ask(server, PlayedCluster.call("POST", PATH + "/failed", "", report));
    assertThat(urls(answer).collectors()).isEmpty();
    assertThat(urls(answer).learners())
        .containsExactly(cluster.names("learner").getFirst() + ".ml:22271");
    assertThat(cluster.names("learner")).doesNotContain(runs);
    assertThat(cluster.names("collector")).isEqualTo(waiting);
  }
}
