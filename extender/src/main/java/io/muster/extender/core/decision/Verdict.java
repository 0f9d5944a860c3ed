package io.muster.extender.core.decision;

import io.muster.extender.core.plan.Diagnosis.Finding;
import java.util.Optional;

/**
 * Why one gang has no places, as it was last found: in words, by the member or pod for which there
 * was none, and by its one cause once that has been examined. Confined to the decision thread.
 */
final class Verdict {

  private Optional<String> text = Optional.empty();
  private Optional<Misfit> misfit = Optional.empty();
  private Optional<Finding> finding = Optional.empty();

  /** It has places, or has not been tried. */
  void clear() {
    text = Optional.empty();
    misfit = Optional.empty();
  }

  /** There is no place for that one. */
  void noPlace(String tally, Misfit forWhom) {
    text = Optional.of(tally);
    misfit = Optional.of(forWhom);
  }

  /** An attempt has failed; nobody stands out. */
  void failed(String why) {
    text = Optional.of(why);
    misfit = Optional.empty();
  }

  /** A place of its burst is missing; who was found to have none before stays. */
  void missing(String tally) {
    text = Optional.of(tally);
  }

  /** All its places were found again. */
  void complete() {
    text = Optional.empty();
  }

  void found(Finding cause) {
    finding = Optional.of(cause);
  }

  /** In words. */
  Optional<String> text() {
    return text;
  }

  /** For whom there was no place. */
  Optional<Misfit> misfit() {
    return misfit;
  }

  /** The one cause, of the failure that was last examined. */
  Optional<Finding> finding() {
    return finding;
  }

  /** Another incarnation begins. */
  void forget() {
    clear();
    finding = Optional.empty();
  }
}
