package io.muster.controller.dlrover;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.controller.core.engine.News;
import io.muster.controller.core.engine.Outcome;
import io.muster.controller.core.engine.Resize;
import io.muster.controller.dlrover.api.ElasticJob;
import io.muster.controller.dlrover.api.ScalePlan;
import io.muster.controller.dlrover.api.ScalePlanStatus;
import io.muster.controller.kube.Conditions;
import io.muster.controller.kube.JobMemory;
import io.muster.controller.kube.JobWrites;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The plans of one job, as they were when it was looked at, and the way to store how far they are.
 * Serves one look.
 */
final class Plans {

  /** Of those that have ended. */
  static final int KEPT = 5;

  private final JobWrites common;
  private final InstantSource clock;
  private final JobMemory memory;
  private final Map<String, ScalePlan> plans = new LinkedHashMap<>();

  Plans(JobWrites common, InstantSource clock, JobMemory memory, Stream<ScalePlan> seen) {
    this.common = common;
    this.clock = clock;
    this.memory = memory;
    seen.filter(plan -> !plan.isMarkedForDeletion() && plan.getSpec() != null)
        .map(plan -> memory.newest(plan, ScalePlan.class))
        .forEach(plan -> plans.put(PlanForm.id(plan), plan));
  }

  /** Those by which the job has got lost workers back. */
  GrowBacks growBacks(ElasticJob job) {
    return new GrowBacks(job.getMetadata().getName(), List.copyOf(plans.values()));
  }

  List<Resize> resizes() {
    return plans.values().stream().map(PlanForm::resize).toList();
  }

  void store(Outcome outcome) {
    for (var resize : outcome.resizes()) {
      var plan = plans.get(resize.request().id());
      var fault =
          outcome.news().stream()
              .flatMap(item ->
                  item instanceof News.ResizeFailed(String id, var why)
                          && id.equals(resize.request().id())
                      ? Stream.of(why)
                      : Stream.empty())
              .findFirst();
      write(plan, PlanForm.status(plan, resize, fault, clock.instant()));
    }
  }

  /** The master of the job would have to carry them out, and does not. */
  void refuse(ElasticJob job) {
    for (var plan : plans.values()) {
      if (!PlanForm.resize(plan).stage().isEnd()) {
        var now = Conditions.time(clock.instant());
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
                    .formatted(job.getMetadata().getName(), Names.MODE, Mode.BUILTIN.word())));
      }
    }
  }

  /** Deletes those that nobody has to know of any more. */
  void tidy(KubernetesClient client, ElasticJob job) {
    spent(job.getMetadata().getName(), plans.values())
        .forEach(plan -> JobWrites.ignoringAbsence(() -> client.resource(plan).delete()));
  }

  /**
   * Those that have ended and that no user wrote, but for the latest few. The latest by which lost
   * workers came back stays, for it says how often that was tried.
   */
  static List<ScalePlan> spent(String job, Collection<ScalePlan> plans) {
    var tries = new GrowBacks(job, List.copyOf(plans));
    return plans.stream()
        .filter(plan -> PlanForm.isAuto(plan) && PlanForm.resize(plan).stage().isEnd())
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
    common.storeStatus(plan, status, memory);
  }
}
