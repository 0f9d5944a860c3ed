package io.muster.extender.core.decision.cache;

import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.Effect;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * Keeps a fault of Muster's own within the one step in which it happens: it is told, as {@link
 * Effect.Fault}, what was decided before it goes out, and what comes after it is done. A gang whose
 * step it was is blamed. Confined to the decision thread.
 */
public final class FaultBoundary {

  private final Consumer<Effect> told;

  /** Gangs with a fault that are not left alone yet, and the first fault of each. */
  private final Map<GangState, Throwable> blamed = new LinkedHashMap<>();

  /**
   * @param told takes what has happened
   */
  FaultBoundary(Consumer<Effect> told) {
    this.told = told;
  }

  /** Does the step. */
  public void run(String step, Runnable work) {
    var _ = passes(step, work);
  }

  /** Does the step of one gang. */
  public void run(String step, GangState gang, Runnable work) {
    var _ = ask(step, Optional.of(gang), claimed(work));
  }

  /** Does the step and tells whether it came to its end. */
  public boolean passes(String step, Runnable work) {
    return ask(step, Optional.empty(), claimed(work));
  }

  /** What comes out of the step of one gang; no, where it has a fault. */
  public boolean ask(String step, GangState gang, BooleanSupplier work) {
    return ask(step, Optional.of(gang), work);
  }

  private static BooleanSupplier claimed(Runnable work) {
    return () -> {
      work.run();
      return true;
    };
  }

  private boolean ask(String step, Optional<GangState> gang, BooleanSupplier work) {
    try {
      return work.getAsBoolean();
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      note(step, gang, e);
      return false;
    }
  }

  /** A step, of that gang if it was one's, has met a fault. */
  public void note(String step, Optional<GangState> gang, Throwable fault) {
    Optional<GangId> id = gang.map(blame -> blame.id);
    told.accept(new Effect.Fault(step, id, fault));
    gang.ifPresent(blame -> blamed.putIfAbsent(blame, fault));
  }

  /** The same where whoever asked is told of it by himself. */
  public void blame(GangState gang, Throwable fault) {
    blamed.putIfAbsent(gang, fault);
  }

  /** Those that have met a fault since the last time, and the first fault of each. */
  public Map<GangState, Throwable> takeBlamed() {
    var taken = new LinkedHashMap<>(blamed);
    blamed.clear();
    return taken;
  }
}
