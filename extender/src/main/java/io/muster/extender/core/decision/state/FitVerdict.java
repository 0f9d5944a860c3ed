package io.muster.extender.core.decision.state;

import io.muster.extender.core.plan.Diagnosis.Finding;
import java.util.Optional;

/**
 * Why one gang has no places, as it was last found: in words, by the member or pod for which there
 * was none, and by its one cause once that has been examined. Confined to the decision thread.
 */
public final class FitVerdict {

  private Optional<String> text = Optional.empty();
  private Optional<Misfit> misfit = Optional.empty();
  private Optional<Finding> finding = Optional.empty();

  /** It has places, or has not been tried. */
  public void clear() {
    text = Optional.empty();
    misfit = Optional.empty();
  }

  /** There is no place for that one. */
  public void noPlace(String tally, Misfit forWhom) {
    text = Optional.of(tally);
    misfit = Optional.of(forWhom);
  }

  /** An attempt has failed; nobody stands out. */
  public void failed(String why) {
    text = Optional.of(why);
    misfit = Optional.empty();
  }

  /** A place of its burst is missing; who was found to have none before stays. */
  public void missing(String tally) {
    text = Optional.of(tally);
  }

  /** All its places were found again. */
  public void complete() {
    text = Optional.empty();
  }

  public void found(Finding cause) {
    finding = Optional.of(cause);
  }

  /** In words. */
  public Optional<String> text() {
    return text;
  }

  /** For whom there was no place. */
  public Optional<Misfit> misfit() {
    return misfit;
  }

  /** The one cause, of the failure that was last examined. */
  public Optional<Finding> finding() {
    return finding;
  }

  /** Another incarnation begins. */
  void forget() {
    clear();
    finding = Optional.empty();
  }
}
