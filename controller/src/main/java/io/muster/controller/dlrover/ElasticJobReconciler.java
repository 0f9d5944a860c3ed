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
import io.muster.controller.kube.GangSight;
import io.muster.controller.kube.JobEvents;
import io.muster.controller.kube.JobLooks;
import io.muster.controller.kube.JobWrites;
import io.muster.controller.kube.LeavingNodes;
import io.muster.controller.kube.Ownership;
import io.muster.controller.kube.Turnstile;
import io.muster.controller.kube.Work;
import io.muster.controller.kube.WouldStart;
import io.muster.controller.port.GangReports;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Looks at an ElasticJob with its pods, has the engine decide, stores what it decided, then has it
 * done step by step. One job is looked at by one thread at a time.
 */
final class ElasticJobReconciler implements Reconciler<ElasticJob> {

  private final KubernetesClient client;
  private final Writes writes;
  private final JobWrites common;
  private final JobEvents events;
  private final GangReports reports;
  private final LeavingNodes nodes;
  private final WouldStart wouldStart;
  private final Mode defaultMode;
  private final InstantSource clock;
  private final JobLooks<ElasticJob, MasterMemory> looks;
  private volatile Optional<JobWatch> watch = Optional.empty();

  ElasticJobReconciler(
      KubernetesClient client,
      Writes writes,
      JobEvents events,
      Mode defaultMode,
      DlroverController.Surroundings process) {
    this.client = client;
    this.writes = writes;
    this.common = new JobWrites(client, process.clock());
    this.events = events;
    this.reports = process.reports();
    this.nodes = process.nodes();
    this.wouldStart = new WouldStart(process.start());
    this.defaultMode = defaultMode;
    this.clock = process.clock();
    this.looks = new JobLooks<>(MasterMemory::new, process.meter());
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
    var seen =
        new JobWatch(
            context.getPrimaryCache(),
            new InformerEventSource<>(pods, context),
            new InformerEventSource<>(plans, context));
    watch = Optional.of(seen);
    return List.of(
        seen.pods(), seen.plans(), nodes.source(seen.pods(), ElasticJobReconciler::jobOf));
  }

  /** What is seen of all jobs; empty before it is run. */
  Optional<JobWatch> watch() {
    return watch;
  }

  private static Set<ResourceID> jobOf(ScalePlan plan) {
    var spec = plan.getSpec();
    return spec == null || spec.ownerJob() == null
        ? Set.of()
        : Set.of(new ResourceID(spec.ownerJob(), plan.getMetadata().getNamespace()));
  }

  private static Set<ResourceID> jobOf(Pod pod) {
    return JobLooks.jobOf(pod, Names.JOB_LABEL);
  }

  @Override
  public UpdateControl<ElasticJob> reconcile(ElasticJob cached, Context<ElasticJob> context) {
    return looks.look(cached, context, this::look);
  }

  private Work<ElasticJob> look(
      ElasticJob cached, Context<ElasticJob> context, MasterMemory memory, Turnstile.Pass pass) {
    var job = memory.newest(cached, ElasticJob.class);
    if (JobForm.isAnothers(job)) {
      events.leaveOnce(job, Ownership.ANOTHERS, memory);
      return Work.none(job);
    }
    var state = JobForm.state(job);
    var mode = Mode.of(job, state, defaultMode);
    var uid = job.getMetadata().getUid();
    var pods =
        context
            .getSecondaryResourcesAsStream(Pod.class)
            .filter(pod -> Ownership.isOwned(pod, uid))
            .toList();
    var plans =
        new Plans(common, clock, memory, context.getSecondaryResourcesAsStream(ScalePlan.class));
    var wanted = JobReading.job(job, state, mode, problems(job, state, mode));
    var members = memory.afterDeletions(members(wanted, pods, uid));
    var outcome =
        JobEngine.reconcile(
            wanted,
            state,
            mode == Mode.BUILTIN ? plans.resizes() : List.of(),
            observed(members, memory, nodes.deadlines(pods)),
            clock.instant());
    var gang = sight(job, outcome, workers(pods));
    var stored = store(job, outcome, members, pods, gang, memory);
    if (mode == Mode.BUILTIN) {
      plans.store(outcome);
    } else {
      plans.refuse(stored);
    }
    outcome
        .news()
        .forEach(
            item -> events.tell(stored, item, JobWords.remarks(stored, members, item), memory));
    JobWords.warnings(stored).forEach(remark -> events.leaveOnce(stored, remark, memory));
    plans.tidy(client, stored);
    int lost = outcome.state().lost(ElasticJob.WORKER).size();
    if (lost > 0 && plans.growBacks(stored).isGivenUp()) {
      events.leaveOnce(stored, JobWords.notAgain(lost), memory);
    }
    var site =
        new Writes.Site(
            stored,
            mode,
            memory,
            outcome.state().counted(ElasticJob.WORKER).size(),
            pod -> JobLooks.count(pod, context));
    var steps = new ArrayList<Work.Step>();
    outcome.actions().forEach(action -> steps.addAll(writes.steps(site, action)));
    if (mode == Mode.UPSTREAM_MASTER
        && JobReading.isSuspended(stored)
        && JobReading.isReleased(stored)) {
      steps.addAll(writes.release(site, pods));
    }
    boolean isHeldBack = HeldBack.pods(stored, outcome.state(), workers(pods)).isPresent();
    var again =
        Stream.concat(
                gang.again().stream(),
                isHeldBack ? Stream.of(WouldStart.SAID_APART) : Stream.<Duration>empty())
            .min(Comparator.naturalOrder());
    return new Work<>(stored, steps, knowsMore -> JobLooks.next(outcome, knowsMore, again));
  }

  /** Those of the roles that the engine looks after. */
  private static List<Member> members(Job wanted, List<Pod> pods, String uid) {
    var roles = wanted.roles().stream().map(Role::name).collect(Collectors.toSet());
    return pods.stream()
        .flatMap(pod -> Members.of(pod, uid).stream())
        .filter(member -> roles.contains(member.role()))
        .toList();
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

  /** How the workers' gang stands; those of plans start as gangs of their own. */
  private GangSight sight(ElasticJob job, Outcome outcome, List<Pod> workers) {
    var gang = JobReading.gang(job);
    if (gang.isEmpty() || outcome.state().phase().isEnd()) {
      return GangSight.NONE;
    }
    return GangSight.of(
        workers, JobReading.gangMinimum(job).orElse(1), reports.of(gang.orElseThrow()));
  }

  private ElasticJob store(
      ElasticJob job,
      Outcome outcome,
      List<Member> members,
      List<Pod> pods,
      GangSight gang,
      MasterMemory memory) {
    var status =
        JobForm.status(
            job,
            outcome.state(),
            members,
            outcome.news(),
            conditions -> {
              gang.note(conditions);
              wouldStart.tell(conditions, HeldBack.pods(job, outcome.state(), workers(pods)));
            },
            clock.instant());
    return common.storeStatus(job, status, memory);
  }

  private static List<Pod> workers(List<Pod> pods) {
    return pods.stream()
        .filter(
            pod -> !ElasticJob.MASTER.equals(pod.getMetadata().getLabels().get(Names.ROLE_LABEL)))
        .toList();
  }
}
