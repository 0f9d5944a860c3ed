package io.muster.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.muster.sandbox.Await;
import io.muster.sandbox.MusterProcess;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What coordinators and people ask the server for; the rows are those of acceptance.md. */
@ExtendWith(SandboxExtension.class)
final class DiServerIT {

  private static final String JOB = "qbert-dqn";
  private static final String COORDINATOR = JOB + "-coordinator";
  private static final String REPLICAS = "/v1alpha1/replicas";

  private static String url(TestSpace space) {
    return space.sandbox().muster().orElseThrow().diUrl();
  }

  private static String ask(TestSpace space, String more) {
    return "{\"namespace\":\"%s\",\"coordinator\":\"%s\"%s}"
        .formatted(space.namespace(), COORDINATOR, more);
  }

  private static String workers(TestSpace space, int collectors, int learners) {
    return ask(
        space,
        ",\"collectors\":{\"replicas\":%d},\"learners\":{\"gpus\":\"0\",\"replicas\":%d}"
            .formatted(collectors, learners));
  }

  private static String of(TestSpace space) {
    return REPLICAS + "?namespace=" + space.namespace() + "&Coordinator=" + COORDINATOR;
  }

  private static List<Pod> pods(DiJobs jobs, String type) {
    return jobs.pods().values().stream()
        .filter(pod -> type.equals(pod.getMetadata().getLabels().get("replica-type")))
        .filter(pod -> !pod.isMarkedForDeletion())
        .toList();
  }

  private static String name(String url) {
    return url.substring(0, url.indexOf('.'));
  }

  /** The tutorial's job, whose collectors ask for a GPU each. */
  private static DiJobs coordinator(TestSpace space) {
    var jobs = new DiJobs(space);
    jobs.create(
        jobs.example("dijob-qbert.yaml")
            .replaceFirst(
                "(?s)(\n  collector:.*?limits:\n)", "$1              nvidia.com/gpu: 1\n"));
    Await.until("the coordinator to run", DiJobs.SOON, () -> jobs.running().contains(COORDINATOR));
    return jobs;
  }

  /** Rows D3, D9, D13, D16 and D17. */
  @Test
  void aRequestIsHeldUntilAllItsPodsRun(TestSpace space) throws IOException {
    space.nodes(1, NodeShape.GPU1);
    var jobs = coordinator(space);
    try (var calls = new DiCalls(url(space))) {
      var cut = cutCall(url(space), workers(space, 2, 1));
      Await.until("three pods", DiJobs.SOON, () -> jobs.pods().size() == 4);
      cut.close();
      var held = calls.begin("POST", REPLICAS, workers(space, 2, 1));
      Await.until(
          "the reason on a pod",
          DiJobs.SOON,
          () -> pods(jobs, "collector").stream().anyMatch(DiServerIT::saysWhyItWaits));
      assertThat(jobs.bound()).isEqualTo(1);
      assertThat(jobs.pods()).hasSize(4);
      assertThat(held).isNotDone();
      assertThat(calls.get(of(space)).list("collectors")).isEmpty();

      space.nodes(1, NodeShape.GPU1);
      var answer = DiCalls.result(held);
      assertThat(answer.status()).isEqualTo(200);
      assertThat(answer.isSuccess()).isTrue();
      assertThat(answer.message()).isEqualTo("successfully create replicas");
      assertThat(answer.list("collectors"))
          .hasSize(2)
          .allMatch(url ->
              url.matches("qbert-dqn-collector-[a-z0-9]{5}\\." + space.namespace() + ":22270"));
      assertThat(answer.list("learners"))
          .singleElement()
          .asString()
          .matches("qbert-dqn-learner-[a-z0-9]{5}\\." + space.namespace() + ":22271");
      assertThat(jobs.pods()).hasSize(4);
      var collector = jobs.pods().get(name(answer.list("collectors").getFirst()));
      assertThat(collector.getSpec().getContainers().getFirst().getResources().getLimits())
          .as("those of the template")
          .containsEntry("cpu", new Quantity("6"))
          .containsEntry("memory", new Quantity("10Gi"))
          .containsEntry("nvidia.com/gpu", new Quantity("1"));

      var listed = calls.get(of(space));
      assertThat(listed.list("collectors")).hasSameElementsAs(answer.list("collectors"));
      assertThat(listed.list("learners")).isEqualTo(answer.list("learners"));

      var deleted = calls.call("DELETE", REPLICAS, workers(space, 1, 1));
      assertThat(deleted.isSuccess()).isTrue();
      assertThat(answer.list("collectors")).containsAll(deleted.list("collectors"));
      assertThat(deleted.list("collectors")).hasSize(1);
      assertThat(deleted.list("learners")).isEqualTo(answer.list("learners"));
      Await.until(
          "both to be gone",
          DiJobs.SOON,
          () -> pods(jobs, "collector").size() == 1 && pods(jobs, "learner").isEmpty());
      assertThat(pods(jobs, "collector"))
          .extracting(pod -> pod.getMetadata().getName())
          .doesNotContain(name(deleted.list("collectors").getFirst()));

      anew(space, jobs, calls);
    }
  }

  /** Row D17: what its predecessor had is not added to. */
  private static void anew(TestSpace space, DiJobs jobs, DiCalls calls) {
    var before = new HashSet<>(jobs.pods().keySet());
    var uid = jobs.pods().get(COORDINATOR).getMetadata().getUid();
    jobs.kubectl("delete", "pod", COORDINATOR, "--grace-period=0", "--force");
    Await.until(
        "another coordinator",
        DiJobs.SOON,
        () ->
            jobs.running().contains(COORDINATOR)
                && !jobs.pods().get(COORDINATOR).getMetadata().getUid().equals(uid));
    var answer = calls.call("POST", REPLICAS, workers(space, 2, 0));
    assertThat(answer.list("collectors")).hasSize(2);
    Await.until("exactly those", DiJobs.SOON, () -> pods(jobs, "collector").size() == 2);
    assertThat(pods(jobs, "collector"))
        .noneMatch(pod -> before.contains(pod.getMetadata().getName()));
  }

  private static boolean saysWhyItWaits(Pod pod) {
    return pod.getStatus().getConditions().stream()
        .anyMatch(condition ->
            condition.getMessage() != null && condition.getMessage().startsWith("Gang \""));
  }

  /** A call on a connection of its own, which its owner closes before the answer. */
  private static Socket cutCall(String url, String body) throws IOException {
    var at = URI.create(url);
    var socket = new Socket(at.getHost(), at.getPort());
    socket
        .getOutputStream()
        .write(
            "POST %s HTTP/1.1\r\nHost: muster\r\nContent-Length: %d\r\n\r\n%s"
                .formatted(REPLICAS, body.getBytes(UTF_8).length, body)
                .getBytes(UTF_8));
    socket.getOutputStream().flush();
    return socket;
  }

  /** Rows D4, D8 and D10. */
  @Test
  void aLearnerOfManyGpusIsReachedThroughItsAggregator(TestSpace space) {
    space.nodes(1, NodeShape.GPU8);
    var jobs = coordinator(space);
    jobs.aggregators();
    try (var calls = new DiCalls(url(space))) {
      refuses(space, calls);
      refusesWhatNeverFits(space, jobs, calls);
      isFoundByItsNames(space);
      var answer =
          calls.call(
              "POST",
              REPLICAS,
              ask(
                  space,
                  ",\"learners\":{\"replicas\":1,\"gpus\":2},\"collectors\":{\"replicas\":1}"));
      assertThat(answer.isSuccess()).as(answer.toString()).isTrue();
      var aggregator = JOB + "-aggregator";
      assertThat(answer.list("learners"))
          .containsExactly(aggregator + "." + space.namespace() + ":22272");
      assertThat(calls.get(of(space)).list("learners")).isEqualTo(answer.list("learners"));
      var behind =
          calls.get(REPLICAS + "?namespace=" + space.namespace() + "&aggregator=" + aggregator);
      var ddp = pods(jobs, "ddp-learner").getFirst().getMetadata().getName();
      assertThat(behind.body().get("data").get("coordinator").textValue()).isEqualTo(aggregator);
      assertThat(behind.list("learners"))
          .containsExactly(
              ddp + "." + space.namespace() + ":22271", ddp + "." + space.namespace() + ":22272");

      var lost = name(answer.list("collectors").getFirst());
      var report =
          ask(space, ",\"collectors\":[\"%1$s\",\"%1$s\"],\"learners\":[]".formatted(lost));
      var recreated = calls.call("POST", REPLICAS + "/failed", report);
      assertThat(recreated.message()).isEqualTo("successfully recreate replicas");
      assertThat(recreated.list("collectors"))
          .singleElement()
          .asString()
          .matches("qbert-dqn-collector-[a-z0-9]{5}\\..*")
          .doesNotStartWith(lost);
      Await.until(
          "it alone",
          DiJobs.SOON,
          () ->
              pods(jobs, "collector").stream()
                  .map(pod -> pod.getMetadata().getName())
                  .toList()
                  .equals(List.of(name(recreated.list("collectors").getFirst()))));
      assertThat(calls.call("POST", REPLICAS + "/failed", report).isSuccess())
          .as("one that is gone is as good as replaced")
          .isTrue();

      var deleted = calls.call("DELETE", REPLICAS, ask(space, ",\"learners\":{\"replicas\":1}"));
      assertThat(deleted.list("learners")).isEqualTo(answer.list("learners"));
      Await.until(
          "the set to be gone",
          DiJobs.SOON,
          () -> pods(jobs, "aggregator").isEmpty() && pods(jobs, "ddp-learner").isEmpty());
    }
  }

  private static void isFoundByItsNames(TestSpace space) {
    for (var name : List.of("di-server.di-system", "ding-server.ding-system")) {
      var service = name.substring(0, name.indexOf('.'));
      Supplier<List<EndpointSlice>> found =
          () ->
              space
                  .client()
                  .discovery()
                  .v1()
                  .endpointSlices()
                  .inNamespace(name.substring(name.indexOf('.') + 1))
                  .withLabel("kubernetes.io/service-name", service)
                  .list()
                  .getItems()
                  .stream()
                  .filter(slice -> slice.getEndpoints().getFirst().getConditions().getReady())
                  .toList();
      Await.until(name + " to lead to one", DiJobs.SOON, () -> found.get().size() == 1);
      var slices = found.get();
      assertThat(slices.getFirst().getEndpoints().getFirst().getAddresses())
          .containsExactly(MusterProcess.ADVERTISED);
      assertThat(slices.getFirst().getPorts())
          .extracting("port")
          .containsOnly(URI.create(url(space)).getPort());
    }
    assertThat(
            space
                .client()
                .services()
                .inNamespace("di-system")
                .withName("di-server")
                .get()
                .getSpec()
                .getPorts())
        .extracting("port")
        .containsExactly(8080, 8081);
  }

  /** Row D16b: the node of this test has 8 GPUs. */
  private static void refusesWhatNeverFits(TestSpace space, DiJobs jobs, DiCalls calls) {
    var answer =
        calls.call("POST", REPLICAS, ask(space, ",\"collectors\":{\"replicas\":1,\"gpus\":9}"));
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.isSuccess()).isFalse();
    assertThat(answer.message())
        .startsWith("no node could ever hold a collector of DIJob qbert-dqn (")
        .contains("1 Insufficient nvidia.com/gpu");
    assertThat(jobs.pods()).containsOnlyKeys(COORDINATOR);
  }

  private static void refuses(TestSpace space, DiCalls calls) {
    var wrong =
        List.of(
            calls.call("PATCH", REPLICAS, "{}"),
            calls.call("POST", REPLICAS, ""),
            calls.get(of(space) + "&colour=red"),
            calls.get(of(space) + "x"),
            calls.call("POST", REPLICAS, workers(space, 1, 0).replace(COORDINATOR, "nobody")));
    assertThat(wrong).extracting(DiCalls.Answer::status).containsExactly(501, 400, 400, 404, 404);
    assertThat(wrong)
        .allSatisfy(answer -> {
          assertThat(answer.body().get("success").booleanValue()).isFalse();
          assertThat(answer.body().get("code").intValue()).isEqualTo(1);
        });
  }

  /** Rows E5, E6, E14 and E15. */
  @Test
  void aJobWithTasksIsResizedWithinItsBounds(TestSpace space) {
    space.nodes(5, NodeShape.GPU1);
    var jobs = new DiJobs(space);
    jobs.create(
        jobs.example("job-with-tasks.yaml")
            .replaceAll("(?m)^  minReplicas: .*$", "  minReplicas: 2")
            .replaceAll("(?m)^  maxReplicas: .*$", "  maxReplicas: 5"));
    var job = "job-with-tasks";
    jobs.awaitRunning(
        job + "-collector-0", job + "-collector-1", job + "-evaluator-0", job + "-learner-0");
    jobs.awaitPhase(job, "Running");
    var replicas = "/v2alpha1/job/" + space.namespace() + "." + job + "/replicas";
    try (var calls = new DiCalls(url(space))) {
      Await.until(
          "four addresses",
          DiJobs.SOON,
          () -> calls.get(replicas).list().stream().filter(a -> !a.isEmpty()).count() == 4);
      var addresses = calls.get(replicas).list();
      assertThat(addresses).hasSize(4).allMatch(address -> address.matches("[0-9.]+:22270"));
      for (var name :
          List.of(
              job + "-learner-0",
              job + "-evaluator-0",
              job + "-collector-0",
              job + "-collector-1")) {
        var pod = jobs.pods().get(name);
        int rank = Integer.parseInt(pod.getMetadata().getAnnotations().get("diengine/rank"));
        assertThat(addresses.get(rank)).isEqualTo(pod.getStatus().getPodIP() + ":22270");
      }
      assertThat(calls.get("/v2alpha1/" + space.namespace() + "%2F" + job + "/replicas").list())
          .isEqualTo(addresses);

      assertThat(calls.call("POST", replicas, "{\"replicas\":1}").message())
          .isEqualTo("successfully add replicas");
      Await.until("the fifth", DiJobs.SOON, () -> jobs.running().contains(job + "-collector-2"));
      jobs.awaitPhase(job, "Running");
      assertThat(jobs.status(job).replicas()).isEqualTo(5);
      assertThat(jobs.status(job).reschedules()).isEqualTo(1);
      assertThat(jobs.pods().get(job + "-collector-2").getMetadata().getAnnotations())
          .containsEntry("diengine/rank", "4");
      var tooMany = calls.call("POST", replicas, "{\"replicas\":1}");
      assertThat(tooMany.status()).isEqualTo(400);
      assertThat(tooMany.message()).contains("maxReplicas 5");

      assertThat(
              calls
                  .call(
                      "POST",
                      replicas.replace("/replicas", "/profilings"),
                      "{\"data\":{\"fps\":100}}")
                  .isSuccess())
          .isTrue();
      assertThat(calls.call("DELETE", replicas, "{\"replicas\":2}").isSuccess()).isTrue();
      Await.until(
          "the highest two to go",
          DiJobs.SOON,
          () ->
              jobs.pods()
                  .keySet()
                  .equals(Set.of(job + "-collector-0", job + "-evaluator-0", job + "-learner-0")));
      assertThat(calls.call("DELETE", replicas, "{\"replicas\":1}").status()).isEqualTo(400);
      jobs.awaitPhase(job, "Running");
      assertThat(jobs.kubectl("get", "dijob", job, "-o", "jsonpath={.status.profilings}"))
          .isEqualTo("{\"fps\":100}");
    }
  }
}
