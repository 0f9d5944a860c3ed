package io.muster.controller.core.elastic;

import io.muster.controller.core.elastic.Decision.Cause;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * When jobs last grew, and when they last gave workers to others for nothing but evenness: nobody
 * is sent to and fro. A job that was not known before counts as having grown just now, so a new
 * leader begins with nothing to even out. Confined to one thread.
 */
final class Resizes {

  /** From growth to giving for evenness, and from that to growth. */
  static final Duration REST = Duration.ofMinutes(5);

  private final Map<String, Instant> grown = new HashMap<>();
  private final Map<String, Instant> evened = new HashMap<>();

  /** These are the jobs that there are. */
  void seen(List<ResizableJob> jobs, Instant now) {
    Set<String> keys = jobs.stream().map(ResizableJob::key).collect(Collectors.toSet());
    grown.keySet().retainAll(keys);
    evened.keySet().retainAll(keys);
    keys.forEach(key -> grown.putIfAbsent(key, now));
  }

  void carriedOut(Decision decision, Instant now) {
    switch (decision) {
      case Decision.Grow grow -> grown.put(grow.job(), now);
      case Decision.GiveBack giveBack when giveBack.cause() == Cause.EVENNESS ->
          evened.put(giveBack.job(), now);
      case Decision.GiveBack _ -> {}
    }
  }

  boolean mayGrow(ResizableJob job, Instant now) {
    return isOver(evened, job, now);
  }

  boolean mayGiveForEvenness(ResizableJob job, Instant now) {
    return isOver(grown, job, now);
  }

  private static boolean isOver(Map<String, Instant> last, ResizableJob job, Instant now) {
    return Optional.ofNullable(last.get(job.key()))
        .filter(at -> now.isBefore(at.plus(REST)))
        .isEmpty();
  }
}
