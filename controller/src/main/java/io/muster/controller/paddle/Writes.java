package io.muster.controller.paddle;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.core.engine.Action;
import io.muster.controller.kube.JobWrites;
import io.muster.controller.kube.Ownership;
import io.muster.controller.kube.PodAccount;
import io.muster.controller.kube.Work;
import io.muster.controller.paddle.api.PaddleJob;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Carries the engine's actions out for TrainingJobs. What is there already, or gone already, is as
 * good as done. Safe for concurrent use, one job at a time.
 */
final class Writes {

  private final KubernetesClient client;
  private final JobWrites common;

  Writes(KubernetesClient client, InstantSource clock) {
    this.client = client;
    this.common = new JobWrites(client, clock);
  }

  /**
   * Where to do it.
   *
   * @param made takes the pods that are made, so that they count before the watch shows them
   */
  record Site(PaddleJob job, PaddleMemory memory, Consumer<Pod> made) {}

  /** What is to be done for it, one after the other. */
  List<Work.Step> steps(Site site, Action action) {
    return switch (action) {
      case Action.Prepare prepare -> account(site, prepare);
      case Action.Create create ->
          List.of(() ->
              common.makePod(
                  site.job(),
                  create.name(),
                  site.memory(),
                  () ->
                      site.made()
                          .accept(client.resource(PodForms.pod(site.job(), create)).create())));
      case Action.Delete(String name, String uid) ->
          List.of(Work.Step.of(() -> common.deletePod(site.job(), name, uid, site.memory())));
      case Action.Remove _,
          Action.Tell _,
          Action.Probe _,
          Action.Ask _,
          Action.Withdraw _,
          Action.Script _ ->
          throw new IllegalArgumentException("nobody asks so of a TrainingJob: " + action);
    };
  }

  private List<Work.Step> account(Site site, Action.Prepare prepare) {
    var steps = new ArrayList<Work.Step>();
    if (!site.memory().hasAccount()) {
      accountOf(site.job())
          .forEach(object ->
              steps.add(
                  common.preparing(
                      prepare.first(), site.memory(), () -> common.putOwn(site.job(), object))));
      steps.add(Work.Step.of(site.memory()::accountMade));
    }
    return steps;
  }

  /** The start script finds pods by their labels, and does nothing else there. */
  static List<HasMetadata> accountOf(PaddleJob job) {
    var metadata = new ObjectMeta();
    metadata.setName(Names.account(job.getMetadata().getName()));
    metadata.setNamespace(job.getMetadata().getNamespace());
    metadata.setLabels(Map.of(Names.JOB_LABEL, job.getMetadata().getName()));
    metadata.setOwnerReferences(List.of(Ownership.by(job)));
    return PodAccount.of(metadata, PodAccount.rule("", "pods", "get", "list"));
  }

  /** Keeps what was decided of its trainers on the job: the look that follows acts on it. */
  void keep(PaddleJob job, Decided decided) {
    client
        .resource(job)
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            Serialization.asJson(
                Map.of("metadata", Map.of("annotations", Map.of(Decided.KEY, decided.written())))));
  }

  /** Pods by its name that belong to no job of Muster's. */
  boolean hasPodsOfAnother(PaddleJob job) {
    var uid = job.getMetadata().getUid();
    return Names.ROLE_LABELS.values().stream()
        .flatMap(label ->
            client
                .pods()
                .inNamespace(job.getMetadata().getNamespace())
                .withLabel(label, job.getMetadata().getName())
                .withoutLabel(Names.JOB_LABEL)
                .list()
                .getItems()
                .stream())
        .anyMatch(pod -> !Ownership.isOwned(pod, uid) && !pod.isMarkedForDeletion());
  }
}
