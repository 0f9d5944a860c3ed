package io.muster.controller.dlrover;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import io.muster.controller.api.Fault;
import io.muster.controller.core.engine.JobEngine;
import io.muster.controller.core.engine.JobState;
import io.muster.controller.core.engine.Member;
import io.muster.controller.core.engine.Observed;
import io.muster.controller.core.engine.Outcome;
import io.muster.controller.core.job.Job;
import io.muster.controller.core.job.Role;
import io.muster.controller.dlrover.api.ElasticJob;
import io.muster.controller.dlrover.api.Faults;
import io.muster.controller.dlrover.api.ScalePlan;
import io.muster.controller.kube.JobEvents;
import io.muster.controller.kube.JobLooks;
import io.muster.controller.kube.LeavingNodes;
import io.muster.controller.kube.Remark;
import io.muster.controller.kube.Turnstile;
import io.muster.controller.port.JobMeter;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Looks at an ElasticJob with its pods, has the engine decide, stores what it decided, then does
 * it. One job is looked at by one thread at a time.
 */
final class ElasticJobReconciler implements Reconciler<ElasticJob> {

  private static final Remark ANOTHERS =
      new Remark(
          true,
          "ForeignController",
          "another controller has begun this job: it is left alone; to have Muster take it over,"
              + " stop that controller and set the annotation %s: \"true\"".formatted(Names.ADOPT));

  private final KubernetesClient client;
  private final Writes writes;
  private final JobEvents events;
  private final LeavingNodes nodes;
  private final Mode defaultMode;
  private final InstantSource clock;
  private final JobLooks<ElasticJob, MasterMemory> looks;

  ElasticJobReconciler(
      KubernetesClient client,
      Writes writes,
      JobEvents events,
      LeavingNodes nodes,
      Mode defaultMode,
      InstantSource clock,
      JobMeter meter) {
    this.client = client;
    this.writes = writes;
    this.events = events;
    this.nodes = nodes;
    this.defaultMode = defaultMode;
    this.clock = clock;
    this.looks = new JobLooks<>(MasterMemory::new, meter);
  }

  @Override
  public List<EventSource<?, ElasticJob>> prepareEventSources(
      EventSourceContext<ElasticJob> context) {
    var pods =
        InformerEventSourceConfiguration.from(Pod.class, ElasticJob.class)
            .withLabelSelector(Names.JOB_LABEL)
            .withSecondaryToPrimaryMapper(ElasticJobReconciler::jobOf)
            .build();
    var plans =
        InformerEventSourceConfiguration.from(ScalePlan.class, ElasticJob.class)
            .withSecondaryToPrimaryMapper(ElasticJobReconciler::jobOf)
            .build();
    var podSource = new InformerEventSource<>(pods, context);
    return List.of(
        podSource,
        new InformerEventSource<>(plans, context),
        nodes.source(podSource, ElasticJobReconciler::jobOf));
  }

  private static Set<ResourceID> jobOf(ScalePlan plan) {
    var spec = plan.getSpec();
    return spec == null || spec.ownerJob() == null
        ? Set.of()
        : Set.of(new ResourceID(spec.ownerJob(), plan.getMetadata().getNamespace()));
  }

  private static Set<ResourceID> jobOf(Pod pod) {
    var labels =
        Objects.requireNonNullElse(pod.getMetadata().getLabels(), Map.<String, String>of());
    var job = labels.get(Names.JOB_LABEL);
    return job == null ? Set.of() : Set.of(new ResourceID(job, pod.getMetadata().getNamespace()));
  }

  @Override
  public UpdateControl<ElasticJob> reconcile(ElasticJob cached, Context<ElasticJob> context) {
    return looks.look(cached, context, this::look);
  }

  private UpdateControl<ElasticJob> look(
      ElasticJob cached, Context<ElasticJob> context, MasterMemory memory, Turnstile.Pass pass) {
    var job = memory.newest(cached, ElasticJob.class);
    if (JobForm.isAnothers(job)) {
      tell(job, ANOTHERS, memory);
      return UpdateControl.noUpdate();
    }
    var state = JobForm.state(job);
    var mode = Mode.of(job, state, defaultMode);
    var uid = job.getMetadata().getUid();
    var pods =
        context
            .getSecondaryResourcesAsStream(Pod.class)
            .filter(pod -> Names.isOwned(pod, uid))
            .toList();
    var plans =
        new Plans(client, clock, memory, context.getSecondaryResourcesAsStream(ScalePlan.class));
    var wanted = JobReading.job(job, mode, problems(job, state, mode));
    var members = memory.afterDeletions(members(wanted, pods, uid));
    var outcome =
        JobEngine.reconcile(
            wanted,
            state,
            mode == Mode.BUILTIN ? plans.resizes() : List.of(),
            observed(members, memory, nodes.deadlines(pods)),
            clock.instant());
    var stored = store(job, outcome, members, pods, memory);
    if (mode == Mode.BUILTIN) {
      plans.store(outcome);
    } else {
      plans.refuse(stored);
    }
    outcome
        .news()
        .forEach(item ->
            JobWords.remarks(stored, members, item)
                .forEach(remark -> tell(stored, remark, memory)));
    JobWords.warnings(stored).forEach(remark -> tell(stored, remark, memory));
    var site =
        new Writes.Site(
            stored,
            mode,
            memory,
            outcome.state().targets().getOrDefault(ElasticJob.WORKER, List.of()).size(),
            pod -> count(pod, context));
    boolean knowsMore = false;
    for (var action : outcome.actions()) {
      knowsMore |= writes.carryOut(site, action);
    }
    if (mode == Mode.UPSTREAM_MASTER
        && JobReading.isSuspended(stored)
        && JobReading.isReleased(stored)) {
      writes.release(site, pods);
    }
    return next(outcome, knowsMore);
  }

  /** Those of the roles that the engine looks after. */
  private static List<Member> members(Job wanted, List<Pod> pods, String uid) {
    var roles = wanted.roles().stream().map(Role::name).collect(Collectors.toSet());
    return pods.stream()
        .flatMap(pod -> Members.of(pod, uid).stream())
        .filter(member -> roles.contains(member.role()))
        .toList();
  }

  private void tell(ElasticJob job, Remark remark, MasterMemory memory) {
    if (memory.isNew(remark)) {
      events.leave(job, remark);
    }
  }

  /** Why the job cannot be run: asked before anything is made for it. */
  private static List<String> problems(ElasticJob job, JobState state, Mode mode) {
    boolean isServed = state.phase() != JobState.Phase.NEW && !state.targets().isEmpty();
    if (isServed) {
      return List.of();
    }
    var problems = new ArrayList<>(Faults.in(job).stream().map(Fault::toString).toList());
    JobReading.unknownMode(job).ifPresent(problems::add);
    if (problems.isEmpty() && mode == Mode.BUILTIN) {
      problems.addAll(JobReading.problemsOfBuiltin(job));
    }
    return problems;
  }

  private static Observed observed(
      List<Member> members, MasterMemory memory, Map<String, Instant> leaving) {
    return new Observed(
        members,
        memory.told(),
        memory.attached(),
        memory.probedAt(),
        Map.of(),
        memory.refusal(),
        leaving);
  }

  /** From now on the pod is seen, before the watch shows it. */
  private static void count(Pod pod, Context<ElasticJob> context) {
    var watch =
        (InformerEventSource<Pod, ElasticJob>)
            context.eventSourceRetriever().getEventSourceFor(Pod.class);
    watch.handleRecentResourceCreate(ResourceID.fromResource(pod), pod);
  }

  private static UpdateControl<ElasticJob> next(Outcome outcome, boolean knowsMore) {
    var control = UpdateControl.<ElasticJob>noUpdate();
    return knowsMore
        ? control.rescheduleAfter(Duration.ZERO)
        : outcome.again().map(control::rescheduleAfter).orElse(control);
  }

  private ElasticJob store(
      ElasticJob job, Outcome outcome, List<Member> members, List<Pod> pods, MasterMemory memory) {
    var status =
        JobForm.status(
            job,
            outcome.state(),
            members,
            outcome.news(),
            JobReading.hasGang(job) ? GangSight.of(pods) : GangSight.NONE,
            clock.instant());
    if (status.equals(job.getStatus())) {
      return job;
    }
    var changed = client.getKubernetesSerialization().clone(job);
    changed.setStatus(status);
    var stored = client.resource(changed).updateStatus();
    memory.wrote(stored);
    return stored;
  }
}
