package io.muster.extender.port;

import io.muster.extender.core.protocol.Milestones;
import io.muster.extender.core.protocol.Usage;
import java.time.Duration;

/** Counts what gangs get, keep and waste. Safe for concurrent use. */
public interface UsageMeter {

  /** How the wait of a bind call for the rest of its gang ended. */
  enum Wait {
    /** Enough members had come: the Binding goes out. */
    OPENED,
    /** The gang gave its place up, or the call had waited as long as it may. */
    REFUSED,
    /** The call outlived every deadline, which is a fault. */
    EXPIRED
  }

  /** Counts what was so for that long. */
  void used(Usage usage, Duration lasted);

  /** Counts what has happened. */
  void reached(Milestones milestones);

  /** Counts the end of one bind call's wait. */
  void waited(Wait end, Duration lasted);
}
