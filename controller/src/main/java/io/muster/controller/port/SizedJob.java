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

  /**
   * How large it is, read once.
   *
   * @param wanted workers that it is to have now
   * @param elastic how large it may be; empty if its size does not follow the room there is
   * @param leaving uids of its pods that are on their way out
   * @param growingGangs gangs, as {@code namespace/name}, by which it grows by itself: they wait
   *     for nobody
   */
  record Size(
      int wanted, Optional<ResizableJob> elastic, List<String> leaving, Set<String> growingGangs) {

    public Size {
      leaving = List.copyOf(leaving);
      growingGangs = elastic.isPresent() ? Set.copyOf(growingGangs) : Set.of();
    }
  }

  JobKey key();

  Size size();

  /** Does what is due before the sizes of jobs are decided. */
  default void settle(Instant now) {}

  /** Asks for what was decided about it, and tells its owner why. */
  void ask(Decision decision);

  /** Tells its owner something and does nothing else. */
  void tell(String reason, String sentence);
}
