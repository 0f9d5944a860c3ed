package io.muster.controller.core.elastic;

import io.muster.controller.core.state.Resize;
import io.muster.controller.core.state.Resize.Stage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A running job whose size follows the room there is. Immutable.
 *
 * @param key names it among all
 * @param priority of its pods
 * @param workers that run, the oldest first
 * @param least workers that must stay
 * @param most workers that there may be
 * @param stride how many may come at a time
 * @param interval from one step to the next growth
 * @param last step that was asked for in this way
 * @param isIdle nobody has asked for another size that it does not have yet
 * @param isWhole all the workers that it is to have run
 * @param coming workers that were asked for and whose pods are not there yet
 * @param terms on which its size changes
 */
public record ResizableJob(
    String key,
    int priority,
    List<Worker> workers,
    int least,
    int most,
    Stride stride,
    Duration interval,
    Optional<Step> last,
    boolean isIdle,
    boolean isWhole,
    int coming,
    Terms terms) {

  /** A size is taken to last for so long. */
  static final Duration STAY = Duration.ofHours(1);

  /**
   * A pod of the job.
   *
   * @param since when it began to run
   */
  public record Worker(String name, String uid, Instant since) {}

  /** To whom it gives back. */
  public enum Sharing {
    /** To all who have no lower priority than it, and so that jobs of its kind are even. */
    WITH_EQUALS,
    /** To higher priority alone; what it grows by was its own before. */
    WITH_HIGHER_PRIORITY
  }

  /**
   * On what terms its size changes.
   *
   * @param resizeCost for how long all of it stands still whenever its size changes
   * @param companions uids of its other pods, which start together with the least workers
   */
  public record Terms(Sharing sharing, Duration resizeCost, List<String> companions) {

    /** Of a job that takes back what was its own. */
    public static final Terms YIELDING =
        new Terms(Sharing.WITH_HIGHER_PRIORITY, Duration.ZERO, List.of());

    public Terms {
      companions = List.copyOf(companions);
    }
  }

  /**
   * How many workers may come at a time.
   *
   * @param unit they come in multiples of it, but for the last ones
   * @param most at a time
   */
  public record Stride(int unit, int most) {

    /** One worker after the other. */
    public static final Stride ONE = new Stride(1, 1);

    public Stride {
      if (unit < 1 || most < 1) {
        throw new IllegalArgumentException("unit %d, most %d".formatted(unit, most));
      }
    }
  }

  /** What was asked for last: when it ended, or was asked for, and whether it failed. */
  public record Step(Instant at, boolean hasFailed) {

    /** By that resize. */
    public static Step of(Resize resize) {
      return new Step(
          resize.endedAt().orElse(resize.request().createdAt()), resize.stage() == Stage.FAILED);
    }
  }

  public ResizableJob {
    workers = List.copyOf(workers);
  }

  boolean isEqualAmongOthers() {
    return terms.sharing() == Sharing.WITH_EQUALS;
  }

  /** Whether it gives back to somebody of that priority. */
  boolean yieldsTo(int other) {
    return isEqualAmongOthers() ? other >= priority : other > priority;
  }

  /** Fewest workers more that are worth the time which the change takes. */
  int leastThatPays() {
    long cost = terms.resizeCost().toMillis();
    return (int) Math.min(Integer.MAX_VALUE, cost * workers.size() / STAY.toMillis() + 1);
  }

  /** Workers beyond those that must stay: how rich it is. */
  int surplus() {
    return workers.size() - least;
  }

  boolean mayGrow(Instant now) {
    return isIdle && isWhole && !workers.isEmpty() && workers.size() < most && hasPassed(last, now);
  }

  /** So many more workers at once at most: as it goes by, or else as many as are worth it. */
  int step() {
    return Math.min(most - workers.size(), Math.max(stride.most(), leastThatPays()));
  }

  /** Others wait for it: only a step that failed is not tried again at once. */
  boolean mayGiveBack(Instant now) {
    return isIdle && surplus() > 0 && hasPassed(last.filter(Step::hasFailed), now);
  }

  private boolean hasPassed(Optional<Step> step, Instant now) {
    return step.filter(taken -> now.isBefore(taken.at().plus(interval))).isEmpty();
  }

  /** One more worker is taken to be like this one. */
  Worker model() {
    return workers.getFirst();
  }
}
