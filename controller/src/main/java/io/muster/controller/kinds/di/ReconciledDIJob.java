package io.muster.controller.kinds.di;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.api.Fault;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.engine.News;
import io.muster.controller.core.job.Job;
import io.muster.controller.core.state.Member;
import io.muster.controller.framework.GivenBack;
import io.muster.controller.framework.JobAccess;
import io.muster.controller.framework.JobMemory;
import io.muster.controller.framework.PendingSteps;
import io.muster.controller.framework.ReconciledJob;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.api.DIJobStatus;
import io.muster.controller.kinds.di.api.DiValidation;
import io.muster.controller.kinds.di.job.Generation;
import io.muster.controller.kube.GangSight;
import io.muster.controller.kube.Marks;
import io.muster.controller.kube.Remark;
import io.muster.controller.port.GangReports;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.GangKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/** A DIJob with its pods during one reconcile. */
final class ReconciledDIJob extends ReconciledJob<DIJob, DIJobStatus, JobMemory> {

  /** What the job leaves at its end is deleted. */
  private static final String CLEARED = "cleared";

  private final JobAccess access;
  private final Generation generation;
  private final GangReports reports;
  private Optional<Function<Action.Create, Pod>> pods = Optional.empty();
  private Optional<Set<String>> gangs = Optional.empty();

  ReconciledDIJob(
      Seen<DIJob, JobMemory> seen, JobAccess access, Generation generation, GangReports reports) {
    super(seen);
    this.access = access;
    this.generation = generation;
    this.reports = reports;
  }

  @Override
  protected List<String> problems() {
    return DiValidation.in(job()).stream().map(Fault::toString).toList();
  }

  @Override
  protected Job wanted(List<String> problems) {
    return generation.job(job(), problems);
  }

  @Override
  protected Optional<Member> member(Pod pod, Job wanted) {
    return generation.member(job(), seen().state(), pod);
  }

  /** The first of the job's gangs that waits, else any. */
  @Override
  protected GangSight gang() {
    var namespace = job().getMetadata().getNamespace();
    var sights =
        new TreeMap<>(generation.enough(job()))
            .entrySet().stream()
                .filter(gang -> gang.getValue() > 0)
                .map(gang ->
                    GangSight.of(
                        seen().pods().stream().filter(pod -> isOf(gang.getKey(), pod)).toList(),
                        gang.getValue(),
                        reports.of(new GangId(Dialect.MUSTER, namespace, gang.getKey()))))
                .filter(GangSight::isThere)
                .toList();
    return sights.stream()
        .filter(sight -> !sight.isPlaced())
        .findFirst()
        .or(() -> sights.stream().findFirst())
        .orElse(GangSight.NONE);
  }

  private static boolean isOf(String gang, Pod pod) {
    return gang.equals(Marks.annotations(pod).get(GangKeys.NAME));
  }

  @Override
  protected DIJobStatus status() {
    return generation.status(decided());
  }

  @Override
  protected void afterStatus() {
    if (!job().getStatus().phase().equals(decided().earlierPhase())) {
      generation.entered(job()).ifPresent(remark -> access.events().leave(job(), remark));
    }
  }

  @Override
  protected List<Remark> remarks() {
    return outcome().state().phase().isEnd() ? List.of() : generation.remarks(decided().job());
  }

  @Override
  protected List<Remark> remarks(News item) {
    return generation.remarks(item);
  }

  @Override
  protected List<PendingSteps.Step> firstSteps() {
    return outcome().state().phase().isEnd()
        ? List.of()
        : new GivenBack(access.writes())
            .steps(seen().pods(), generation.enough(job()), outcome().actions());
  }

  @Override
  protected List<Runnable> prepare(Action.Prepare prepare) {
    return generation.beside(job()).stream()
        .<Runnable>map(object -> () -> access.writes().putOwn(job(), object))
        .toList();
  }

  /** Its templates may name others; its own are read once. */
  @Override
  protected Optional<String> gangOf(Action.Create create, Pod pod) {
    if (gangs.isEmpty()) {
      gangs = Optional.of(generation.enough(job()).keySet());
    }
    return super.gangOf(create, pod).filter(gangs.get()::contains);
  }

  /** What its pods have in common is read once. */
  @Override
  protected Pod pod(Action.Create create) {
    if (pods.isEmpty()) {
      pods = Optional.of(generation.pods(job(), outcome().state()));
    }
    return pods.get().apply(create);
  }

  @Override
  protected List<HasMetadata> companions(Action.Create create, Pod pod) {
    return generation.beside(job(), pod);
  }

  @Override
  protected void created(Action.Create create, Pod pod) {
    access
        .events()
        .leave(
            job(),
            Remark.normal(
                "SuccessfulCreate", "pod %s was successfully created".formatted(create.name())));
  }

  @Override
  protected Optional<String> service(String pod) {
    return generation.nameOfService(pod);
  }

  @Override
  protected void deleted(String pod, String uid) {
    access
        .events()
        .leaveOnce(
            job(),
            Remark.normal("SuccessfulDelete", "pod %s was successfully deleted".formatted(pod)),
            uid,
            seen().memory());
  }

  /** Deletes, once, what nobody needs after the job's end. */
  @Override
  protected List<PendingSteps.Step> lastSteps() {
    var steps = new ArrayList<PendingSteps.Step>();
    var memory = seen().memory();
    if (!outcome().state().phase().isEnd() || memory.knows(CLEARED)) {
      return steps;
    }
    var writes = access.writes();
    generation
        .beside(job())
        .forEach(left -> steps.add(PendingSteps.Step.of(() -> writes.deleteOwn(job(), left))));
    for (var pod : seen().pods()) {
      service(pod.getMetadata().getName())
          .ifPresent(service ->
              steps.add(PendingSteps.Step.of(() -> writes.deleteService(job(), service))));
    }
    steps.add(PendingSteps.Step.of(() -> memory.know(CLEARED)));
    return steps;
  }
}
