package io.muster.controller.paddle;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import io.muster.controller.api.Fault;
import io.muster.controller.core.engine.JobEngine;
import io.muster.controller.core.engine.JobState;
import io.muster.controller.core.engine.Observed;
import io.muster.controller.kube.GangSight;
import io.muster.controller.kube.JobEvents;
import io.muster.controller.kube.JobLooks;
import io.muster.controller.kube.JobWrites;
import io.muster.controller.kube.Ownership;
import io.muster.controller.kube.Turnstile;
import io.muster.controller.kube.Work;
import io.muster.controller.paddle.api.Faults;
import io.muster.controller.paddle.api.PaddleJob;
import io.muster.controller.port.GangReports;
import io.muster.controller.port.JobMeter;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/**
 * Looks at a TrainingJob with its pods, has the engine decide, stores what it decided, then has it
 * done step by step. One job is looked at by one thread at a time.
 */
final class PaddleJobReconciler implements Reconciler<PaddleJob> {

  private final Writes writes;
  private final JobWrites common;
  private final JobEvents events;
  private final GangReports reports;
  private final InstantSource clock;
  private final JobLooks<PaddleJob, PaddleMemory> looks;
  private volatile Optional<JobWatch> watch = Optional.empty();

  PaddleJobReconciler(
      KubernetesClient client,
      Writes writes,
      JobEvents events,
      GangReports reports,
      InstantSource clock,
      JobMeter meter) {
    this.writes = writes;
    this.common = new JobWrites(client, clock);
    this.events = events;
    this.reports = reports;
    this.clock = clock;
    this.looks = new JobLooks<>(PaddleMemory::new, meter);
  }

  @Override
  public List<EventSource<?, PaddleJob>> prepareEventSources(
      EventSourceContext<PaddleJob> context) {
    var pods =
        new InformerEventSource<>(
            InformerEventSourceConfiguration.from(Pod.class, PaddleJob.class)
                .withLabelSelector(Names.JOB_LABEL)
                .withSecondaryToPrimaryMapper((Pod pod) -> JobLooks.jobOf(pod, Names.JOB_LABEL))
                .build(),
            context);
    watch = Optional.of(new JobWatch(context.getPrimaryCache(), pods));
    return List.of(pods);
  }

  /** What is seen of all jobs; empty before it is run. */
  Optional<JobWatch> watch() {
    return watch;
  }

  @Override
  public UpdateControl<PaddleJob> reconcile(PaddleJob cached, Context<PaddleJob> context) {
    return looks.look(cached, context, this::look);
  }

  private Work<PaddleJob> look(
      PaddleJob cached, Context<PaddleJob> context, PaddleMemory memory, Turnstile.Pass pass) {
    var job = memory.newest(cached, PaddleJob.class);
    var state = JobForm.state(job);
    if (isAnothers(job, state, memory)) {
      events.leaveOnce(job, Ownership.ANOTHERS, memory);
      return Work.none(job);
    }
    var uid = job.getMetadata().getUid();
    var pods =
        context
            .getSecondaryResourcesAsStream(Pod.class)
            .filter(pod -> Ownership.isOwned(pod, uid))
            .toList();
    var members =
        memory.afterDeletions(pods.stream().flatMap(pod -> Members.of(pod, uid).stream()).toList());
    var outcome =
        JobEngine.reconcile(
            JobReading.job(job, state, problems(job, state)),
            state,
            List.of(),
            Observed.of(members, memory.refusal()),
            clock.instant());
    var look =
        new JobForm.Look(
            job,
            outcome.state(),
            pods,
            members,
            sight(job, outcome.state(), pods),
            outcome.news(),
            clock.instant());
    var stored = common.storeStatus(job, JobForm.status(look), memory);
    tell(look, stored, memory);
    var site = new Writes.Site(stored, memory, pod -> JobLooks.count(pod, context));
    var steps =
        outcome.actions().stream().flatMap(action -> writes.steps(site, action).stream()).toList();
    return new Work<>(
        stored, steps, knowsMore -> JobLooks.next(outcome, knowsMore, look.gang().again()));
  }

  private GangSight sight(PaddleJob job, JobState state, List<Pod> pods) {
    var metadata = job.getMetadata();
    return state.phase().isEnd() || state.targets().isEmpty()
        ? GangSight.NONE
        : GangSight.of(
            pods,
            JobReading.startingPods(job),
            reports.of(new GangId(Dialect.MUSTER, metadata.getNamespace(), metadata.getName())));
  }

  private void tell(JobForm.Look look, PaddleJob stored, PaddleMemory memory) {
    JobWords.waiting(look, stored.getStatus())
        .forEach(remark -> events.leaveOnce(stored, remark, memory));
    for (var item : look.news()) {
      events.tell(stored, item, JobWords.remarks(look, stored.getStatus(), item), memory);
    }
  }

  /** The first controller of the kind said nothing of a job that it had begun: its pods do. */
  private boolean isAnothers(PaddleJob job, JobState state, PaddleMemory memory) {
    if (JobForm.isAnothers(job)) {
      return true;
    }
    if (state.phase() == JobState.Phase.NEW && !memory.isAlone() && !Ownership.isHandedOver(job)) {
      if (writes.hasPodsOfAnother(job)) {
        return true;
      }
      memory.foundAlone();
    }
    return false;
  }

  /** Why the job cannot be run: asked before anything is made for it. */
  private static List<String> problems(PaddleJob job, JobState state) {
    return state.phase() == JobState.Phase.NEW || state.targets().isEmpty()
        ? Faults.in(job).stream().map(Fault::toString).toList()
        : List.of();
  }
}
