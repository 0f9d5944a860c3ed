package io.muster.controller.kinds.dlrover.plan;

import io.muster.controller.core.elastic.ResizableJob.Step;
import io.muster.controller.kinds.dlrover.api.ScalePlan;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * The plans by which a job has got lost workers back, one after the other: their numbers say how
 * often that was tried. Each try comes later than the one before, and after the last there is none:
 * a worker that ends by itself does not come back for ever. Immutable.
 *
 * @param plans of the job, of whatever origin
 */
public record GrowBacks(String job, List<ScalePlan> plans) {

  /** Tries in a row. */
  public static final int MOST = 5;

  private static final Duration FIRST_PAUSE = Duration.ofMinutes(1);

  /** A job that is whole for so long after a try has its tries behind it. */
  private static final Duration LASTING = Duration.ofHours(1);

  /** Those of the series, the latest first. */
  private List<ScalePlan> series() {
    return plans.stream()
        .filter(plan -> number(plan) > 0)
        .sorted(Comparator.comparingInt(this::number).reversed())
        .toList();
  }

  private String prefix() {
    return job + "-grows-back-";
  }

  private int number(ScalePlan plan) {
    var name = plan.getMetadata().getName();
    var number = name.startsWith(prefix()) ? name.substring(prefix().length()) : "";
    return number.matches("[1-9][0-9]{0,5}") ? Integer.parseInt(number) : 0;
  }

  boolean isLast(ScalePlan plan) {
    return isOne(plan) && number(plan) == tries();
  }

  public boolean isOne(ScalePlan plan) {
    return number(plan) > 0;
  }

  /** How often it was tried. */
  int tries() {
    return series().stream().mapToInt(this::number).max().orElse(0);
  }

  public boolean isGivenUp() {
    return tries() >= MOST;
  }

  /** Of the next plan: asked for twice, it is made once. */
  public String nextName() {
    return prefix() + (tries() + 1);
  }

  /** From the last try to the next. */
  public Duration pause() {
    return FIRST_PAUSE.multipliedBy(1L << Math.clamp(tries() - 1L, 0, MOST));
  }

  public Optional<Step> last() {
    return series().stream().findFirst().map(PlanMapper::resize).map(Step::of);
  }

  /** Those that tell nothing any more, of a job that is whole now. */
  public List<ScalePlan> past(Instant now) {
    return last().filter(step -> !now.isBefore(step.at().plus(LASTING))).isPresent()
        ? series()
        : List.of();
  }
}
