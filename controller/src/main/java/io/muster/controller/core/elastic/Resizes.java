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
 * When jobs last grew, and when they last gave workers to others for nothing but evenness, or for
 * nobody who is there yet: nobody is sent to and fro. A job that was not known before counts as
 * having grown just now, so a new leader begins with nothing to even out. Confined to one thread.
 */
final class Resizes {

  /** From growth to giving for evenness or head-room, and from that to growth. */
  static final Duration REST = Duration.ofMinutes(5);

  /** Nodes come one by one, and whoever waited for them is placed after that. */
  static final Duration UNTIL_SETTLED = Duration.ofMinutes(1);

  private final Map<String, Instant> asked = new HashMap<>();
  private Room.Amounts offered = Room.Amounts.NONE;
  private Instant cameAt = Instant.MIN;

  private final Map<String, Instant> grown = new HashMap<>();
  private final Map<String, Instant> evened = new HashMap<>();

  /** These are the jobs that there are. */
  void seen(List<ResizableJob> jobs, Instant now) {
    Set<String> keys = jobs.stream().map(ResizableJob::key).collect(Collectors.toSet());
    grown.keySet().retainAll(keys);
    evened.keySet().retainAll(keys);
    asked.keySet().retainAll(keys);
    keys.forEach(key -> grown.putIfAbsent(key, now));
  }

  void carriedOut(Decision decision, Instant now) {
    switch (decision) {
      case Decision.Grow grow -> {
        grown.put(grow.job(), now);
        asked.put(grow.job(), now);
      }
      case Decision.GiveBack giveBack
          when giveBack.cause() == Cause.EVENNESS || giveBack.cause() == Cause.HEAD_ROOM ->
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

  /** One that was asked to grow is not asked to go back for somebody who is not there. */
  boolean mayGiveForHeadRoom(ResizableJob job, Instant now) {
    return isOver(asked, job, now);
  }

  /** Whether what the nodes offer has not grown lately. */
  boolean isSettled(Room.Amounts now, Instant at) {
    if (now.cpuMillis() > offered.cpuMillis()
        || now.memory() > offered.memory()
        || now.devices() > offered.devices()) {
      cameAt = at;
    }
    offered = now;
    return cameAt.equals(Instant.MIN) || !at.isBefore(cameAt.plus(UNTIL_SETTLED));
  }

  private static boolean isOver(Map<String, Instant> last, ResizableJob job, Instant now) {
    return Optional.ofNullable(last.get(job.key()))
        .filter(at -> now.isBefore(at.plus(REST)))
        .isEmpty();
  }
}
