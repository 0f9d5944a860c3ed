package io.muster.controller.etoperator;

import io.fabric8.kubernetes.api.model.HasMetadata;
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
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.engine.JobEngine;
import io.muster.controller.core.engine.JobState;
import io.muster.controller.core.engine.Member;
import io.muster.controller.core.engine.News;
import io.muster.controller.core.engine.Observed;
import io.muster.controller.core.engine.Outcome;
import io.muster.controller.etoperator.api.Faults;
import io.muster.controller.etoperator.api.ScaleIn;
import io.muster.controller.etoperator.api.ScaleOut;
import io.muster.controller.etoperator.api.Selector;
import io.muster.controller.etoperator.api.TrainingJob;
import io.muster.controller.kube.JobEvents;
import io.muster.controller.kube.JobLooks;
import io.muster.controller.kube.JobWrites;
import io.muster.controller.kube.LeavingNodes;
import io.muster.controller.kube.Ownership;
import io.muster.controller.kube.Turnstile;
import io.muster.controller.kube.Work;
import io.muster.controller.port.JobMeter;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Looks at a TrainingJob with its pods and scalers, has the engine decide, stores what it decided,
 * then has it done step by step. One job is looked at by one thread at a time.
 */
final class TrainingJobReconciler implements Reconciler<TrainingJob> {

  /** A job whose launcher cannot be reached is tried again this often. */
  private static final Duration TRIED_APART = Duration.ofSeconds(2);

  private final KubernetesClient client;
  private final Writes writes;
  private final JobWrites common;
  private final JobEvents events;
  private final LeavingNodes nodes;
  private final InstantSource clock;
  private final JobLooks<TrainingJob, LauncherMemory> looks;
  private volatile Optional<JobWatch> watch = Optional.empty();

  TrainingJobReconciler(
      KubernetesClient client,
      Writes writes,
      JobEvents events,
      LeavingNodes nodes,
      InstantSource clock,
      JobMeter meter) {
    this.client = client;
    this.writes = writes;
    this.common = new JobWrites(client, clock);
    this.events = events;
    this.nodes = nodes;
    this.clock = clock;
    this.looks = new JobLooks<>(LauncherMemory::new, meter);
  }

  @Override
  public List<EventSource<?, TrainingJob>> prepareEventSources(
      EventSourceContext<TrainingJob> context) {
    var pods =
        InformerEventSourceConfiguration.from(Pod.class, TrainingJob.class)
            .withLabelSelector(Names.GROUP_LABEL + "=" + TrainingJob.GROUP)
            .withSecondaryToPrimaryMapper(TrainingJobReconciler::jobOf)
            .build();
    var ins =
        InformerEventSourceConfiguration.from(ScaleIn.class, TrainingJob.class)
            .withSecondaryToPrimaryMapper(scaler -> jobOf(scaler, scaler.getSpec().selector()))
            .build();
    var outs =
        InformerEventSourceConfiguration.from(ScaleOut.class, TrainingJob.class)
            .withSecondaryToPrimaryMapper(scaler -> jobOf(scaler, scaler.getSpec().selector()))
            .build();
    var seen =
        new JobWatch(
            context.getPrimaryCache(),
            new InformerEventSource<>(pods, context),
            new InformerEventSource<>(ins, context),
            new InformerEventSource<>(outs, context));
    watch = Optional.of(seen);
    return List.of(
        seen.pods(),
        seen.ins(),
        seen.outs(),
        nodes.source(seen.pods(), TrainingJobReconciler::jobOf));
  }

  /** What is seen of all jobs; empty before it is run. */
  Optional<JobWatch> watch() {
    return watch;
  }

  private static Set<ResourceID> jobOf(Pod pod) {
    return JobLooks.jobOf(pod, Names.JOB_LABEL);
  }

  private static Set<ResourceID> jobOf(HasMetadata scaler, Selector selector) {
    return selector == null || selector.name() == null
        ? Set.of()
        : Set.of(new ResourceID(selector.name(), scaler.getMetadata().getNamespace()));
  }

  @Override
  public UpdateControl<TrainingJob> reconcile(TrainingJob cached, Context<TrainingJob> context) {
    return looks.look(cached, context, this::look);
  }

  private Work<TrainingJob> look(
      TrainingJob cached,
      Context<TrainingJob> context,
      LauncherMemory memory,
      Turnstile.Pass pass) {
    var uid = cached.getMetadata().getUid();
    var job = memory.newest(cached, TrainingJob.class);
    if (JobForm.isAnothers(job)) {
      events.leaveOnce(job, Ownership.ANOTHERS, memory);
      return Work.none(job);
    }
    var pods = context.getSecondaryResourcesAsStream(Pod.class).toList();
    var scalers = new Scalers(client, clock, context, memory);
    var state = JobForm.state(job);
    var problems = problems(job, state);
    var members =
        memory.afterDeletions(pods.stream().flatMap(pod -> Members.of(pod, uid).stream()).toList());
    var launcher =
        pods.stream()
            .filter(pod -> Ownership.isControlled(pod, uid))
            .filter(pod ->
                pod.getMetadata().getName().equals(Names.launcher(job.getMetadata().getName())))
            .findFirst();
    var outcome =
        JobEngine.reconcile(
            JobReading.job(job, problems),
            state,
            scalers.resizes(),
            observed(members, launcher, memory, nodes.deadlines(pods)),
            clock.instant());
    // Before the status says so: whoever is cut off in between comes here again.
    var stored =
        store(hasWaited(outcome) ? writes.markTimedOut(job) : job, outcome, members, memory);
    scalers.store(stored, outcome, members);
    for (var item : outcome.news()) {
      events.tell(stored, item, JobWords.remarks(stored, item), memory);
    }
    var site = new Writes.Site(stored, memory, launcher, pod -> JobLooks.count(pod, context), pass);
    return new Work<>(stored, steps(site, outcome, scalers), knowsMore -> next(outcome, knowsMore));
  }

  private static boolean hasWaited(Outcome outcome) {
    return outcome.news().stream()
        .anyMatch(item ->
            item instanceof News.Failed(News.Failed.Cause cause, String _)
                && cause == News.Failed.Cause.WAITED);
  }

  /**
   * Why the job cannot be run: asked before anything is made for it. Those that run already, under
   * rules of earlier days, are served to their end.
   */
  private List<String> problems(TrainingJob job, JobState state) {
    boolean isServed = state.phase() != JobState.Phase.NEW && !state.targets().isEmpty();
    if (isServed) {
      return List.of();
    }
    var problems =
        new ArrayList<>(
            Faults.in(job).stream().filter(Fault::isFatal).map(Fault::toString).toList());
    if (problems.isEmpty() && state.phase() == JobState.Phase.NEW) {
      problems.addAll(writes.missingKeys(job));
    }
    return problems;
  }

  private static Observed observed(
      List<Member> members,
      Optional<Pod> launcher,
      LauncherMemory memory,
      Map<String, Instant> leaving) {
    return new Observed(
        members,
        memory.told(launcher.map(pod -> pod.getMetadata().getUid())),
        memory.attached(),
        memory.probedAt(),
        memory.scripts(),
        memory.refusal(),
        leaving);
  }

  private List<Work.Step> steps(Writes.Site site, Outcome outcome, Scalers scalers) {
    var steps = new ArrayList<Work.Step>();
    for (var action : outcome.actions()) {
      if (action instanceof Action.Script(String id, List<String> names)) {
        steps.add(() -> {
          writes.script(site, scalers.resize(id), names);
          return true;
        });
      } else {
        steps.addAll(writes.steps(action, site));
      }
    }
    return steps;
  }

  private static UpdateControl<TrainingJob> next(Outcome outcome, boolean knowsMore) {
    var control = UpdateControl.<TrainingJob>noUpdate();
    if (knowsMore) {
      return control.rescheduleAfter(Duration.ZERO);
    }
    boolean isTelling = outcome.actions().stream().anyMatch(Action.Tell.class::isInstance);
    var wait = outcome.again().or(() -> isTelling ? Optional.of(TRIED_APART) : Optional.empty());
    return wait.map(after ->
            control.rescheduleAfter(
                isTelling && after.compareTo(TRIED_APART) > 0 ? TRIED_APART : after))
        .orElse(control);
  }

  private TrainingJob store(
      TrainingJob job, Outcome outcome, List<Member> members, LauncherMemory memory) {
    var status = JobForm.status(job, outcome.state(), members, outcome.news(), clock.instant());
    return common.storeStatus(job, status, memory);
  }
}
