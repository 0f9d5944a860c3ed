package io.muster.extender.core.decision.state;

import java.time.Instant;
import java.util.Optional;

/**
 * When one gang was last found not to fit, and whether its users have been told about that.
 * Confined to the decision thread.
 */
public final class LastTry {

  /**
   * That it was found not to fit.
   *
   * @param members the version of its members then
   * @param changes of the ledger by then
   * @param devices that its minimum asked for
   * @param request all that decided about it, where nothing else is special
   * @param until when time alone may make it fit
   */
  public record Tried(
      long members, long changes, long devices, Optional<SameRequest> request, Instant until) {

    /** Whether the other one found the same, about the same members and nodes. */
    boolean saysAsMuchAs(Tried other) {
      return members == other.members && changes == other.changes;
    }

    /** The same of a gang with that version of its members. */
    public Tried of(long version) {
      return new Tried(version, changes, devices, request, until);
    }
  }

  private Optional<Tried> tried = Optional.empty();
  private Optional<Tried> explained = Optional.empty();

  public void failed(Tried failure) {
    tried = Optional.of(failure);
  }

  /** The failure; empty if it has not been tried since it last had places, or could have. */
  public Optional<Tried> failure() {
    return tried;
  }

  /** Whether neither its members nor the time have changed that it does not fit. */
  boolean isSetBack(long members, Instant now) {
    return tried.isPresent()
        && tried.get().members() == members
        && now.isBefore(tried.get().until());
  }

  /** The failure is explained to its users. */
  public void explained() {
    explained = tried;
  }

  /** Whether its users know as much as there is to know about the failure. */
  public boolean isExplained() {
    return tried.flatMap(failure -> explained.filter(failure::saysAsMuchAs)).isPresent();
  }

  /** It may fit now. */
  public void forgetFailure() {
    tried = Optional.empty();
  }

  public void forget() {
    tried = Optional.empty();
    explained = Optional.empty();
  }
}
