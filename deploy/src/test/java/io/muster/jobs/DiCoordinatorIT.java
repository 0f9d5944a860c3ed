package io.muster.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.muster.controller.api.Condition;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * DI-engine's jobs with a coordinator, whose requests are written on the job as the server writes
 * them; the rows are those of acceptance.md.
 */
@ExtendWith(SandboxExtension.class)
final class DiCoordinatorIT {

  private static final String JOB = "qbert-dqn";
  private static final String COORDINATOR = JOB + "-coordinator";

  private static void ask(DiJobs jobs, String requests) {
    write(jobs, "{\"next\":9,\"requests\":[%s]}".formatted(requests));
  }

  private static void write(DiJobs jobs, String text) {
    jobs.edit(
        JOB,
        job -> {
          var annotations = new HashMap<String, String>();
          Optional.ofNullable(job.getMetadata().getAnnotations()).ifPresent(annotations::putAll);
          annotations.put("muster.io/worker-requests", text);
          job.getMetadata().setAnnotations(annotations);
          return job;
        });
  }

  private static List<Pod> pods(DiJobs jobs, String type) {
    return jobs.pods().values().stream()
        .filter(pod -> type.equals(pod.getMetadata().getLabels().get("replica-type")))
        .filter(pod -> !pod.isMarkedForDeletion())
        .toList();
  }

  private static void awaitRunning(DiJobs jobs, String type, int count) {
    Await.until(
        count + " of " + type + " to run",
        DiJobs.SOON,
        () ->
            pods(jobs, type).size() == count
                && pods(jobs, type).stream()
                    .allMatch(pod -> "Running".equals(pod.getStatus().getPhase())));
  }

  private static List<String> names(DiJobs jobs, String type) {
    return pods(jobs, type).stream().map(pod -> pod.getMetadata().getName()).toList();
  }

  /** Rows D1, D2, D5, D7, D11, D12, D14, and D18. */
  @Tag("quick")
  @Test
  void aCoordinatorHasItsWorkersAndTheJobEndsWithIt(TestSpace space) {
    space.nodes(1, NodeShape.GPU8);
    var jobs = new DiJobs(space);
    var manifest = jobs.example("dijob-qbert.yaml");
    jobs.create(manifest);
    jobs.awaitRunning(COORDINATOR);
    jobs.awaitPhase(JOB, "Running");
    assertThat(jobs.job(JOB).getSpec().cleanPodPolicy()).isEqualTo("Running");
    assertThat(jobs.printed("dijobs.v1alpha1.diengine.opendilab.org"))
        .containsExactly("NAME PHASE", "qbert-dqn Running");
    var coordinator = jobs.pods().get(COORDINATOR);
    assertThat(DiJobs.variables(coordinator))
        .containsEntry("PYTHONUNBUFFERED", "1")
        .containsEntry("KUBERNETES_POD_NAME", COORDINATOR)
        .containsEntry("KUBERNETES_POD_NAMESPACE", space.namespace())
        .containsEntry("KUBERNETES_SERVER_URL", "http://di-server.di-system:8080")
        .containsEntry("COORDINATOR_PORT", "22273")
        .containsEntry(
            "KUBERNETES_COORDINATOR_URL", COORDINATOR + "." + space.namespace() + ":22273");
    assertThat(coordinator.getSpec().getContainers().getFirst().getArgs())
        .isEqualTo(
            jobs.job(JOB)
                .getSpec()
                .coordinator()
                .template()
                .getSpec()
                .getContainers()
                .getFirst()
                .getArgs());
    assertThat(coordinator.getSpec().getVolumes()).extracting("name").contains("work-dir");
    assertThat(service(space, COORDINATOR).getSpec().getSelector())
        .containsEntry("pod-name", COORDINATOR);

    ask(jobs, "{\"id\":1,\"collectors\":{\"replicas\":2},\"learners\":{\"replicas\":1}}");
    awaitRunning(jobs, "collector", 2);
    awaitRunning(jobs, "learner", 1);
    assertThat(names(jobs, "collector"))
        .allMatch(name -> name.matches("qbert-dqn-collector-[a-z0-9]{5}"));
    changeTheCollectors(jobs);
    var lost = names(jobs, "collector").getFirst();
    var seen = new HashSet<>(names(jobs, "collector"));
    jobs.end(lost, 137);
    Await.until(
        "another collector",
        DiJobs.SOON,
        () -> names(jobs, "collector").size() == 2 && !names(jobs, "collector").contains(lost));
    awaitRunning(jobs, "collector", 2);
    assertThat(pods(jobs, "collector"))
        .extracting(pod -> pod.getSpec().getContainers().getFirst().getImage().equals("newer"))
        .as("the one in place of the lost one is made by the new template")
        .containsExactlyInAnyOrder(true, false);
    assertThat(names(jobs, "collector")).anyMatch(name -> !seen.contains(name));
    assertThat(jobs.phase(JOB)).isEqualTo("Running");
    Await.until("its Service to be gone", DiJobs.SOON, () -> service(space, lost) == null);

    jobs.end(COORDINATOR, 0);
    jobs.awaitPhase(JOB, "Succeeded");
    assertThat(jobs.kubectl("describe", "dijobs.v1alpha1.diengine.opendilab.org", JOB))
        .containsSubsequence(
            "Phase:",
            "Succeeded",
            "Replica Status:",
            "Aggregator:",
            "Collector:",
            "Succeeded:  2",
            "Coordinator:",
            "Succeeded:  1",
            "Learner:",
            "Succeeded:  1");
    Await.until(
        "all but the coordinator to be gone",
        DiJobs.SOON,
        () -> jobs.pods().keySet().equals(Set.of(COORDINATOR)));
    Await.until("its Service to be gone", DiJobs.SOON, () -> service(space, COORDINATOR) == null);
    jobs.kubectl("delete", "dijob", JOB);
    Await.until("nothing to be left", DiJobs.SOON, () -> jobs.pods().isEmpty());
  }

  /** Row D18. */
  private static void changeTheCollectors(DiJobs jobs) {
    var before = jobs.pods().keySet();
    jobs.edit(
        JOB,
        job -> {
          job.getSpec()
              .collector()
              .template()
              .getSpec()
              .getContainers()
              .getFirst()
              .setImage("newer");
          return job;
        });
    Await.until(
        "its user to be told",
        DiJobs.SOON,
        () ->
            jobs.events(JOB).stream()
                .anyMatch(event ->
                    event.startsWith("TemplateChanged: spec.collector.template has changed")));
    assertThat(jobs.pods().keySet()).as("nobody is recreated for it").isEqualTo(before);
  }

  private static Service service(TestSpace space, String name) {
    return space.client().services().inNamespace(space.namespace()).withName(name).get();
  }

  /** Row D6. */
  @Test
  void aCoordinatorThatFailsIsTheEnd(TestSpace space) {
    space.nodes(1, NodeShape.GPU8);
    var jobs = new DiJobs(space);
    jobs.create(jobs.example("dijob-qbert.yaml"));
    jobs.awaitPhase(JOB, "Running");
    jobs.end(COORDINATOR, 1);
    jobs.awaitPhase(JOB, "Failed");
    assertThat(jobs.condition(JOB, "Failed").map(Condition::message).orElse(""))
        .isEqualTo("DIJob qbert-dqn failed because coordinator failed");
    assertThat(jobs.condition(JOB, "Running").map(Condition::status)).contains("False");
    assertThat(jobs.pods()).containsOnlyKeys(COORDINATOR);
  }

  /** Rows D4 and D21: an aggregator with the pods behind it comes and goes as one. */
  @Test
  void aLearnerOfManyGpusIsASetOfPods(TestSpace space) {
    space.nodes(2, NodeShape.GPU8);
    var jobs = new DiJobs(space);
    jobs.aggregators();
    jobs.create(jobs.example("dijob-qbert.yaml"));
    jobs.awaitPhase(JOB, "Running");
    ask(jobs, "{\"id\":1,\"learners\":{\"replicas\":1},\"split\":[8,4],\"isFirstSet\":true}");
    awaitRunning(jobs, "ddp-learner", 2);
    assertThat(names(jobs, "aggregator")).containsExactly(JOB + "-aggregator");
    var master = ofType(jobs, "ddp-learner-master");
    assertThat(DiJobs.variables(master))
        .containsAllEntriesOf(
            Map.of(
                "WORLD_SIZE", "12",
                "LOCAL_WORLD_SIZE", "8",
                "START_RANK", "0",
                "MASTER_ADDR", "localhost",
                "MASTER_PORT", "10314",
                "LEARNER_PORT", "22271"));
    var worker = ofType(jobs, "ddp-learner-worker");
    assertThat(DiJobs.variables(worker))
        .containsAllEntriesOf(
            Map.of(
                "WORLD_SIZE", "12",
                "LOCAL_WORLD_SIZE", "4",
                "START_RANK", "8",
                "MASTER_ADDR", master.getMetadata().getName()));
    assertThat(service(space, worker.getMetadata().getName()).getSpec().getPorts())
        .extracting("name")
        .containsExactly("di-port", "gpu-port-1", "gpu-port-2", "gpu-port-3");
    assertThat(service(space, master.getMetadata().getName()).getSpec().getPorts())
        .extracting("name")
        .hasSize(9)
        .contains("master-port");

    jobs.end(worker.getMetadata().getName(), 1);
    Await.until(
        "another set",
        DiJobs.SOON,
        () -> {
          var aggregators = names(jobs, "aggregator");
          return aggregators.size() == 1
              && aggregators.getFirst().matches("qbert-dqn-aggregator-[a-z0-9]{5}");
        });
    awaitRunning(jobs, "ddp-learner", 2);
    assertThat(DiJobs.variables(ofType(jobs, "ddp-learner-worker")))
        .containsEntry("MASTER_ADDR", ofType(jobs, "ddp-learner-master").getMetadata().getName());
    spoilWhatWasAskedFor(jobs);
    ask(jobs, "{\"id\":1,\"mostLearners\":1,\"split\":[8,4],\"isFirstSet\":true}");
    Await.until(
        "the set to be gone",
        DiJobs.SOON,
        () -> pods(jobs, "ddp-learner").isEmpty() && pods(jobs, "aggregator").isEmpty());
    assertThat(jobs.condition(JOB, "WorkerRequestsReadable")).isEmpty();
    assertThat(jobs.phase(JOB)).isEqualTo("Running");
  }

  /** Row D21. */
  private static void spoilWhatWasAskedFor(DiJobs jobs) {
    var before = jobs.pods().keySet();
    write(jobs, "two learners, please");
    Await.until(
        "the condition",
        DiJobs.SOON,
        () -> jobs.condition(JOB, "WorkerRequestsReadable").map(Condition::status).isPresent());
    assertThat(jobs.condition(JOB, "WorkerRequestsReadable"))
        .hasValueSatisfying(condition -> {
          assertThat(condition.status()).isEqualTo("False");
          assertThat(condition.message()).startsWith("annotation muster.io/worker-requests is not");
        });
    Await.until(
        "the Event",
        DiJobs.SOON,
        () ->
            jobs.events(JOB).stream()
                .anyMatch(event -> event.startsWith("WorkerRequestsUnreadable: ")));
    assertThat(jobs.pods().keySet()).isEqualTo(before);
  }

  private static Pod ofType(DiJobs jobs, String type) {
    return pods(jobs, "ddp-learner").stream()
        .filter(pod -> type.equals(pod.getMetadata().getLabels().get("ddp-learner-type")))
        .findFirst()
        .orElseThrow();
  }
}
