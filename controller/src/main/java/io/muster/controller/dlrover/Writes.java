package io.muster.controller.dlrover;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.dlrover.api.ElasticJob;
import io.muster.controller.dlrover.api.PodMeta;
import io.muster.controller.dlrover.api.ReplicaResource;
import io.muster.controller.dlrover.api.ScalePlan;
import io.muster.controller.dlrover.api.ScalePlanSpec;
import io.muster.controller.kube.Conditions;
import io.muster.controller.kube.JobWrites;
import io.muster.controller.kube.Ownership;
import io.muster.controller.kube.Work;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Carries the engine's actions out for ElasticJobs. What is there already, or gone already, is as
 * good as done. Safe for concurrent use, one job at a time.
 */
final class Writes {

  private static final Set<String> ENDED = Set.of("Succeeded", "Failed");

  private final KubernetesClient client;
  private final JobWrites common;
  private final MasterPod masters;
  private final InstantSource clock;

  Writes(KubernetesClient client, MasterPod masters, InstantSource clock) {
    this.client = client;
    this.common = new JobWrites(client, clock);
    this.masters = masters;
    this.clock = clock;
  }

  /**
   * Where to do it.
   *
   * @param workers that the job is to have now
   * @param made takes the pods that are made, so that they count before the watch shows them
   */
  record Site(ElasticJob job, Mode mode, MasterMemory memory, int workers, Consumer<Pod> made) {}

  /** What is to be done for it, one after the other. */
  List<Work.Step> steps(Site site, Action action) {
    return action instanceof Action.Prepare prepare
        ? preparations(site, prepare)
        : List.of(() -> carryOut(site, action));
  }

  private boolean carryOut(Site site, Action action) {
    var job = site.job();
    var memory = site.memory();
    switch (action) {
      case Action.Create create -> {
        return create(site, create);
      }
      case Action.Delete(String name, String uid) -> common.deletePod(job, name, uid, memory);
      case Action.Remove _ -> client.resource(job).delete();
      case Action.Tell(List<String> members) -> {
        memory.told(members);
        return true;
      }
      case Action.Probe(List<String> members) -> {
        memory.letGo(members, clock.instant());
        return true;
      }
      case Action.Ask ask -> ask(site, ask);
      case Action.Withdraw(String id) -> withdraw(job, id);
      case Action.Prepare _, Action.Script _ ->
          throw new IllegalArgumentException("this is not done so: " + action);
    }
    return false;
  }

  private List<Work.Step> preparations(Site site, Action.Prepare prepare) {
    var job = site.job();
    var steps = new ArrayList<Work.Step>();
    if (!prepare.role().equals(ElasticJob.MASTER)) {
      return steps;
    }
    if (MasterPod.isOurs(job) && site.mode() == Mode.UPSTREAM_MASTER) {
      Companions.masterRights(job.getMetadata().getNamespace())
          .forEach(right -> steps.add(Work.Step.of(() -> common.putIfAbsent(right))));
    }
    steps.add(
        common.preparing(
            prepare.first(), site.memory(), () -> serve(job, Companions.masterService(job))));
    return steps;
  }

  /** One left by a job that had the name before would go with that job, so it is taken over. */
  private void serve(ElasticJob job, HasMetadata service) {
    var there = client.resource(service).get();
    if (there == null || !isOfEarlier(job, there)) {
      common.putOwn(job, service);
    } else {
      client
          .resource(there)
          .patch(
              PatchContext.of(PatchType.JSON_MERGE),
              Serialization.asJson(
                  Map.of("metadata", Map.of("ownerReferences", List.of(Ownership.by(job))))));
    }
  }

  /** Whether it is that of a job which had the name before. */
  private static boolean isOfEarlier(ElasticJob job, HasMetadata object) {
    return object.getMetadata().getOwnerReferences().stream()
        .anyMatch(owner ->
            Boolean.TRUE.equals(owner.getController())
                && owner.getKind().equals(job.getKind())
                && owner.getApiVersion().startsWith(ElasticJob.GROUP + "/")
                && owner.getName().equals(job.getMetadata().getName())
                && !owner.getUid().equals(job.getMetadata().getUid()));
  }

  private boolean create(Site site, Action.Create create) {
    return common.makePod(site.job(), create.name(), site.memory(), () -> make(site, create));
  }

  private void make(Site site, Action.Create create) {
    var job = site.job();
    boolean isMaster = create.role().equals(ElasticJob.MASTER);
    var pod =
        isMaster
            ? masters.make(job, site.mode(), create.name(), create.index())
            : WorkerPod.make(job, create);
    if (!isMaster) {
      common.putOwn(job, WorkerPod.service(job, create.rank()));
    }
    site.made().accept(client.resource(pod).create());
  }

  /** Takes the workers of a suspended job away, which their master makes anew later. */
  List<Work.Step> release(Site site, List<Pod> pods) {
    var steps = new ArrayList<Work.Step>();
    for (var pod : pods) {
      var role = pod.getMetadata().getLabels().get(Names.ROLE_LABEL);
      var phase = Optional.ofNullable(pod.getStatus()).map(PodStatus::getPhase).orElse("");
      if (role != null
          && !role.equals(ElasticJob.MASTER)
          && !pod.isMarkedForDeletion()
          && !ENDED.contains(phase)) {
        var metadata = pod.getMetadata();
        steps.add(
            Work.Step.of(() ->
                common.deletePod(
                    site.job(), metadata.getName(), metadata.getUid(), site.memory())));
      }
    }
    return steps;
  }

  private void ask(Site site, Action.Ask ask) {
    ask(site.job(), site.workers(), ask);
  }

  /**
   * Makes a plan; what has been asked for is not asked for again.
   *
   * @param workers that the job has now, but for those that are lost for good
   */
  void ask(ElasticJob job, int workers, Action.Ask ask) {
    var name = job.getMetadata().getName();
    var plan = new ScalePlan();
    var labels = new HashMap<>(Map.of(Names.JOB_LABEL, name, Names.PLAN_ORIGIN_LABEL, "auto"));
    if (ask.urgent()) {
      labels.put(PlanForm.URGENT_LABEL, "true");
    }
    plan.getMetadata().setName(ask.key());
    plan.getMetadata().setNamespace(job.getMetadata().getNamespace());
    plan.getMetadata().setOwnerReferences(List.of(Ownership.by(job)));
    ask.forcedAt()
        .ifPresent(at ->
            plan.getMetadata().setAnnotations(Map.of(PlanForm.FORCED_AT, Conditions.time(at))));
    plan.setSpec(
        switch (ask.change()) {
          case Change.Add(int count) -> {
            labels.put(PlanForm.ADDS_LABEL, Integer.toString(count));
            yield to(name, workers + count);
          }
          case Change.AddLost(int count) -> {
            labels.put(PlanForm.ADDS_LOST_LABEL, Integer.toString(count));
            yield to(name, workers + count);
          }
          case Change.Remove(int count) -> to(name, workers - count);
          case Change.To(int size) -> to(name, size);
          case Change.RemoveNamed(List<String> names) ->
              new ScalePlanSpec(
                  name, null, null, names.stream().map(PodMeta::new).toList(), null, null);
          case Change.Unclear _ -> throw new IllegalArgumentException("nobody asks so: " + ask);
        });
    plan.getMetadata().setLabels(labels);
    common.putIfAbsent(plan);
  }

  private static ScalePlanSpec to(String job, int size) {
    return new ScalePlanSpec(
        job, Map.of(ElasticJob.WORKER, new ReplicaResource(size, null)), null, null, null, null);
  }

  private void withdraw(ElasticJob job, String id) {
    client
        .resources(ScalePlan.class)
        .inNamespace(job.getMetadata().getNamespace())
        .withName(id.substring(id.lastIndexOf('/') + 1))
        .delete();
  }
}
