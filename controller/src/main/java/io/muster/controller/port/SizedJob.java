package io.muster.controller.port;

import io.muster.controller.core.elastic.Decision;
import io.muster.controller.core.elastic.ResizableJob;
import io.muster.controller.core.job.JobKey;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** A running job of some kind, for those who share the room out. Must be safe for one thread. */
public interface SizedJob {

  JobKey key();

  /** Workers that it is to have now. */
  int wanted();

  /** How large it is and may be; empty if its size does not follow the room there is. */
  Optional<ResizableJob> elastic();

  /** Uids of its pods that are on their way out. */
  List<String> leaving();

  /** Gangs, as {@code namespace/name}, by which it grows by itself: they wait for nobody. */
  Set<String> growingGangs();

  /** Does what is due before the sizes of jobs are decided. */
  default void settle(Instant now) {}

  /** Asks for what was decided about it, and tells its owner why. */
  void ask(Decision decision);

  /** Tells its owner something and does nothing else. */
  void tell(String reason, String sentence);
}
