package io.muster.controller.kinds.dlrover;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.api.Fault;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.engine.News;
import io.muster.controller.core.job.Job;
import io.muster.controller.core.state.Member;
import io.muster.controller.core.state.Resize;
import io.muster.controller.framework.JobMemory;
import io.muster.controller.framework.JobWrites;
import io.muster.controller.framework.PendingSteps;
import io.muster.controller.framework.ReconciledJob;
import io.muster.controller.kinds.dlrover.api.DlroverValidation;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kinds.dlrover.api.ElasticJobStatus;
import io.muster.controller.kinds.dlrover.job.DlroverNames;
import io.muster.controller.kinds.dlrover.job.ElasticJobDependents;
import io.muster.controller.kinds.dlrover.job.ElasticJobMembers;
import io.muster.controller.kinds.dlrover.job.ElasticJobSpecMapper;
import io.muster.controller.kinds.dlrover.job.HeldBack;
import io.muster.controller.kinds.dlrover.job.Mode;
import io.muster.controller.kinds.dlrover.plan.Plans;
import io.muster.controller.kinds.dlrover.plan.WaitingPlans;
import io.muster.controller.kinds.dlrover.pod.MasterPod;
import io.muster.controller.kinds.dlrover.pod.WorkerPod;
import io.muster.controller.kinds.dlrover.pod.WorkerRanks;
import io.muster.controller.kube.GangSight;
import io.muster.controller.kube.Marks;
import io.muster.controller.kube.Ownership;
import io.muster.controller.kube.Remark;
import io.muster.controller.kube.TemplateDigests;
import io.muster.controller.kube.WouldStart;
import io.muster.controller.kube.pod.PodEnds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** An ElasticJob with its ScalePlans during one reconcile. */
final class ReconciledElasticJob extends ReconciledJob<ElasticJob, ElasticJobStatus, JobMemory> {

  private final DlroverKind kind;
  private final Mode mode;
  private final Plans plans;
  private final JobMemory memory;
  private final WaitingPlans waiting;
  private Optional<WorkerRanks> ranks = Optional.empty();

  ReconciledElasticJob(Seen<ElasticJob, JobMemory> seen, DlroverKind kind) {
    super(seen);
    this.kind = kind;
    this.mode = Mode.of(seen.job(), seen.state(), kind.defaultMode);
    this.plans = new Plans(kind.access, seen);
    this.memory = seen.memory();
    this.waiting = WaitingPlans.of(plans.resizes(), seen.pods(), kind.placement.reports()::of);
  }

  @Override
  protected List<String> problems() {
    var problems =
        new ArrayList<>(DlroverValidation.in(job()).stream().map(Fault::toString).toList());
    ElasticJobSpecMapper.unknownMode(job()).ifPresent(problems::add);
    if (problems.isEmpty() && mode == Mode.BUILTIN) {
      problems.addAll(ElasticJobSpecMapper.problemsOfBuiltin(job()));
    }
    return problems;
  }

  @Override
  protected Job wanted(List<String> problems) {
    return ElasticJobSpecMapper.job(job(), seen().state(), mode, problems);
  }

  /** Those of the roles that the engine manages. */
  @Override
  protected Optional<Member> member(Pod pod, Job wanted) {
    return ElasticJobMembers.of(pod, job().getMetadata().getUid())
        .filter(
            member -> wanted.roles().stream().anyMatch(role -> role.name().equals(member.role())));
  }

  @Override
  protected List<Resize> resizes() {
    return mode == Mode.BUILTIN ? plans.resizes() : List.of();
  }

  @Override
  protected ElasticJobStatus status() {
    return ElasticJobStatusMapper.status(
        decided(),
        conditions ->
            kind.wouldStart.tell(conditions, HeldBack.pods(job(), outcome().state(), workers())));
  }

  /** How the workers' gang stands; those of plans start as gangs of their own. */
  @Override
  protected GangSight gang() {
    return ElasticJobSpecMapper.gang(job())
        .map(id ->
            GangSight.of(
                workers(),
                ElasticJobSpecMapper.gangMinimum(job()).orElse(1),
                kind.placement.reports().of(id)))
        .orElse(GangSight.NONE);
  }

  private List<Pod> workers() {
    return seen().pods().stream()
        .filter(pod -> !ElasticJob.MASTER.equals(Marks.labels(pod).get(DlroverNames.ROLE_LABEL)))
        .toList();
  }

  @Override
  protected void afterStatus() {
    if (mode == Mode.BUILTIN) {
      plans.store(outcome());
    } else {
      plans.refuse();
    }
    plans.endLeft();
    plans.spent().forEach(kind.requests::withdraw);
  }

  @Override
  protected List<Remark> remarks() {
    var remarks = new ArrayList<>(ElasticJobMessages.warnings(job()));
    if (!outcome().state().phase().isEnd()) {
      remarks.addAll(
          TemplateDigests.changes(
              seen().job(), ElasticJobSpecMapper.templates(seen().job(), outcome().state())));
    }
    remarks.addAll(waiting.remarks());
    int lost = outcome().state().lost(ElasticJob.WORKER).size();
    if (lost > 0 && plans.growBacks().isGivenUp()) {
      remarks.add(ElasticJobMessages.notAgain(lost));
    }
    return remarks;
  }

  @Override
  protected List<Remark> remarks(News item) {
    return ElasticJobMessages.remarks(job(), decided().members(), item);
  }

  @Override
  protected List<Runnable> prepare(Action.Prepare prepare) {
    var makes = new ArrayList<Runnable>();
    if (!prepare.role().equals(ElasticJob.MASTER)) {
      return makes;
    }
    if (MasterPod.isOurs(job()) && mode == Mode.UPSTREAM_MASTER) {
      ElasticJobDependents.masterRights(job().getMetadata().getNamespace())
          .forEach(right -> makes.add(() -> kind.access.writes().putIfAbsent(right)));
    }
    makes.add(this::makeMasterService);
    return makes;
  }

  /** One left by a job that had the name before would go with that job, so it is taken over. */
  private void makeMasterService() {
    var service = ElasticJobDependents.masterService(job());
    var there = kind.access.client().resource(service).get();
    if (there == null || !Ownership.isOfEarlier(job(), there)) {
      kind.access.writes().putOwn(job(), service);
      return;
    }
    JobWrites.merge(
        kind.access.client(),
        there,
        Map.of("metadata", Map.of("ownerReferences", List.of(Ownership.by(job())))));
  }

  @Override
  protected Pod pod(Action.Create create) {
    return isMaster(create)
        ? kind.masters.make(job(), mode, create.name(), create.index())
        : WorkerPod.make(job(), create);
  }

  @Override
  protected Optional<Pod> madeByOthersNow(Pod pod) {
    return Optional.ofNullable(Marks.labels(pod).get(DlroverNames.ROLE_LABEL))
        .flatMap(role -> ElasticJobSpecMapper.role(job(), role))
        .map(role -> HeldBack.pod(job(), role));
  }

  /** The job's first is what its template says. */
  @Override
  protected Optional<String> gangOf(Action.Create create, Pod pod) {
    return create.resize().isPresent() ? super.gangOf(create, pod) : Optional.empty();
  }

  @Override
  protected List<HasMetadata> companions(Action.Create create, Pod pod) {
    return isMaster(create) ? List.of() : List.of(WorkerPod.service(job(), create.rank()));
  }

  /** The address of a worker's rank, unless another has that or gets it. */
  @Override
  protected Optional<String> service(String pod) {
    return mode == Mode.BUILTIN
        ? ranks().left(pod).map(rank -> WorkerPod.service(job(), rank).getMetadata().getName())
        : Optional.empty();
  }

  /** Read once: each of many workers may be asked for. */
  private WorkerRanks ranks() {
    if (ranks.isEmpty()) {
      var name = job().getMetadata().getName();
      ranks = Optional.of(new WorkerRanks(name, seen().state(), seen().pods(), outcome()));
    }
    return ranks.get();
  }

  private static boolean isMaster(Action.Create create) {
    return create.role().equals(ElasticJob.MASTER);
  }

  @Override
  protected boolean carryOut(Action.OfKind action) {
    switch (action) {
      case Action.Tell(List<String> members) -> {
        memory.told(members);
        return true;
      }
      case Action.Probe(List<String> members) -> {
        // DLRover's master holds on to none of its workers.
        memory.probed(
            members.stream().collect(Collectors.toMap(member -> member, _ -> false)),
            kind.access.clock().instant());
        return true;
      }
      case Action.Ask ask ->
          kind.requests.ask(job(), outcome().state().counted(ElasticJob.WORKER).size(), ask);
      case Action.Withdraw(String id) -> kind.requests.withdraw(plans.plan(id));
      case Action.Script _ -> super.carryOut(action);
    }
    return false;
  }

  /** Takes the workers of a suspended job away, which their master makes anew later. */
  @Override
  protected List<PendingSteps.Step> lastSteps() {
    if (mode != Mode.UPSTREAM_MASTER
        || !ElasticJobSpecMapper.isSuspended(job())
        || !ElasticJobSpecMapper.isReleased(job())) {
      return List.of();
    }
    var steps = new ArrayList<PendingSteps.Step>();
    for (var pod : workers()) {
      if (Marks.labels(pod).containsKey(DlroverNames.ROLE_LABEL)
          && !pod.isMarkedForDeletion()
          && !PodEnds.hasEnded(pod)) {
        var metadata = pod.getMetadata();
        steps.add(
            PendingSteps.Step.of(() ->
                kind.access
                    .writes()
                    .deletePod(job(), metadata.getName(), metadata.getUid(), memory)));
      }
    }
    return steps;
  }

  @Override
  protected Optional<Duration> recheckAfter() {
    boolean isHeldBack = HeldBack.pods(job(), outcome().state(), workers()).isPresent();
    return Stream.of(
            super.recheckAfter(),
            waiting.again(),
            Optional.of(WouldStart.SAID_APART).filter(_ -> isHeldBack))
        .flatMap(Optional::stream)
        .min(Comparator.naturalOrder());
  }
}
