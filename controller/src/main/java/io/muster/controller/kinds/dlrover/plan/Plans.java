package io.muster.controller.kinds.dlrover.plan;

import io.muster.controller.core.engine.News;
import io.muster.controller.core.engine.Outcome;
import io.muster.controller.core.state.Resize;
import io.muster.controller.core.state.Resize.Stage;
import io.muster.controller.core.state.ResizeFault;
import io.muster.controller.framework.JobAccess;
import io.muster.controller.framework.JobMemory;
import io.muster.controller.framework.ReconciledJob;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kinds.dlrover.api.ScalePlan;
import io.muster.controller.kinds.dlrover.api.ScalePlanStatus;
import io.muster.controller.kinds.dlrover.job.DlroverNames;
import io.muster.controller.kinds.dlrover.job.Mode;
import io.muster.controller.kube.Conditions;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The plans of one job, as they were when it was reconciled, and the way to store how far they are.
 * Serves one reconcile.
 */
public final class Plans {

  /** Of those that have ended. */
  static final int KEPT = 5;

  private final JobAccess access;
  private final ElasticJob job;
  private final JobMemory memory;
  private final Map<String, ScalePlan> plans = new LinkedHashMap<>();
  private final List<ScalePlan> left;

  public Plans(JobAccess access, ReconciledJob.Seen<ElasticJob, JobMemory> seen) {
    this.access = access;
    this.job = seen.job();
    this.memory = seen.memory();
    seen.watch().others(seen.job(), ScalePlan.class).stream()
        .filter(plan -> plan.getSpec() != null)
        .map(plan -> memory.newest(plan, ScalePlan.class))
        .filter(plan -> !memory.isLeftAlone(plan))
        .forEach(plan -> plans.put(PlanMapper.id(plan), plan));
    this.left =
        seen.watch().leftByEarlier(seen.job(), ScalePlan.class).stream()
            .map(plan -> memory.newest(plan, ScalePlan.class))
            .filter(plan -> !memory.isLeftAlone(plan))
            .toList();
  }

  /** Those by which the job has got lost workers back. */
  public GrowBacks growBacks() {
    return new GrowBacks(job.getMetadata().getName(), List.copyOf(plans.values()));
  }

  public List<Resize> resizes() {
    return plans.values().stream().map(PlanMapper::resize).toList();
  }

  /** That of the request of that id, which it has. */
  public ScalePlan plan(String id) {
    return plans.get(id);
  }

  public void store(Outcome outcome) {
    for (var resize : outcome.resizes()) {
      var plan = plans.get(resize.request().id());
      var fault =
          News.of(outcome.news(), News.ResizeFailed.class)
              .filter(failed -> failed.id().equals(resize.request().id()))
              .map(News.ResizeFailed::fault)
              .findFirst();
      var status = PlanMapper.status(plan, resize, fault, access.clock().instant());
      access.write(
          job,
          plan,
          memory,
          () -> access.writes().storeStatus(access.writes().owned(job, plan), status, memory));
    }
  }

  /** Says so on users' plans that an earlier job had taken up. */
  public void endLeft() {
    var now = access.clock().instant();
    for (var plan : left) {
      var resize = PlanMapper.resize(plan);
      if (!PlanMapper.isAuto(plan) && !resize.stage().isEnd()) {
        var fault = Optional.<ResizeFault>of(new ResizeFault.EarlierJob());
        write(plan, PlanMapper.status(plan, resize.ended(Stage.FAILED, now), fault, now));
      }
    }
  }

  /** The master of the job would have to carry them out, and does not. */
  public void refuse() {
    for (var plan : plans.values()) {
      if (!PlanMapper.resize(plan).stage().isEnd()) {
        var now = Conditions.time(access.clock().instant());
        write(
            plan,
            new ScalePlanStatus(
                "Failed",
                now,
                null,
                now,
                null,
                ("master of this version does not watch ScalePlans; make job %s anew with the"
                        + " annotation %s: %s")
                    .formatted(
                        job.getMetadata().getName(), DlroverNames.MODE, Mode.BUILTIN.word())));
      }
    }
  }

  /** Those that nobody has to know of any more. */
  public List<ScalePlan> spent() {
    // Those that were made for an earlier job have the names that this one's are to have.
    return Stream.concat(
            left.stream().filter(PlanMapper::isAuto),
            spent(job.getMetadata().getName(), plans.values()).stream())
        .toList();
  }

  /**
   * Those that have ended and that no user wrote, but for the latest few. The latest by which lost
   * workers came back stays, for it says how often that was tried.
   */
  public static List<ScalePlan> spent(String job, Collection<ScalePlan> plans) {
    var tries = new GrowBacks(job, List.copyOf(plans));
    return plans.stream()
        .filter(plan -> PlanMapper.isAuto(plan) && PlanMapper.resize(plan).stage().isEnd())
        .sorted(
            Comparator.comparing((ScalePlan plan) -> plan.getMetadata().getCreationTimestamp())
                .thenComparingInt(plan -> plan.getMetadata().getName().length())
                .thenComparing(plan -> plan.getMetadata().getName())
                .reversed())
        .skip(KEPT)
        .filter(plan -> !tries.isLast(plan))
        .toList();
  }

  private void write(ScalePlan plan, ScalePlanStatus status) {
    access.write(job, plan, memory, () -> access.writes().storeStatus(plan, status, memory));
  }
}
