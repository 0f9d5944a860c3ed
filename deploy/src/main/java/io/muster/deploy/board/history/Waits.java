package io.muster.deploy.board.history;

import io.muster.deploy.board.history.Look.GangState;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Follows gangs from one look to the next, from their wait to their start. Confined to the lock of
 * its owner.
 *
 * <p>A gang has started when it runs and waited in a look before, or was created since then. It
 * waits from when it was created, or if it has been seen to run, from when it was seen to wait
 * again.
 */
final class Waits {

  /** More than there are anywhere; those beyond are not followed. */
  static final int MOST = 65_536;

  /** After a longer time without a look nobody knows when a gang has started. */
  private static final Duration FOLLOWED = Duration.ofMinutes(1);

  /** API servers tell when something was created in whole seconds. */
  private static final long BLUR_SECONDS = 1;

  private static final int NOT_WAITING = 0;
  private static final int UNKNOWN = -1;
  private static final int ID_SHIFT = 32;
  private static final long SECONDS_OF = (1L << ID_SHIFT) - 1;

  /** Sorted; each an id, and the second since when it waits in the lower half. */
  private long[] known = {};

  private Optional<Instant> last = Optional.empty();

  /** How many seconds those have waited that have started since the last look. */
  int[] started(List<GangState> gangs, Instant at) {
    var followedSince =
        last.filter(before -> !at.isBefore(before) && !at.isAfter(before.plus(FOLLOWED)));
    var waits = IntStream.builder();
    var next = new long[Math.min(MOST, gangs.size())];
    for (int i = 0; i < next.length; i++) {
      var gang = gangs.get(i);
      long before = before(gang.id());
      if (followedSince.isPresent()) {
        startOf(gang, before, followedSince.get(), at)
            .ifPresent(since -> waits.add((int) Math.max(0, at.getEpochSecond() - since)));
      }
      next[i] = (long) gang.id() << ID_SHIFT | since(gang, before, at);
    }
    Arrays.sort(next);
    known = next;
    last = Optional.of(at);
    return waits.build().toArray();
  }

  private long before(int id) {
    int found = Arrays.binarySearch(known, (long) id << ID_SHIFT);
    int place = found >= 0 ? found : -found - 1;
    return place < known.length && known[place] >> ID_SHIFT == id
        ? known[place] & SECONDS_OF
        : UNKNOWN;
  }

  /** Since when it had waited; empty if it has not started. */
  private static Optional<Long> startOf(GangState gang, long before, Instant last, Instant at) {
    return switch (gang.phase()) {
      case RUNNING -> {
        if (before == UNKNOWN) {
          yield Optional.of(created(gang, at))
              .filter(since -> since >= last.getEpochSecond() - BLUR_SECONDS);
        }
        yield before == NOT_WAITING ? Optional.empty() : Optional.of(before);
      }
      case WAITING, PLANNED, BINDING, BROKEN, FINISHED -> Optional.empty();
    };
  }

  private static long since(GangState gang, long before, Instant at) {
    return switch (gang.phase()) {
      case WAITING -> {
        if (before == UNKNOWN) {
          yield created(gang, at);
        }
        yield before == NOT_WAITING ? at.getEpochSecond() & SECONDS_OF : before;
      }
      case PLANNED, BINDING -> before == UNKNOWN ? created(gang, at) : before;
      case RUNNING, BROKEN, FINISHED -> NOT_WAITING;
    };
  }

  /** A second that has been. */
  private static long created(GangState gang, Instant at) {
    long now = Math.clamp(at.getEpochSecond(), 1, SECONDS_OF);
    return gang.since().flatMap(Waits::second).map(since -> Math.clamp(since, 1, now)).orElse(now);
  }

  private static Optional<Long> second(String time) {
    try {
      return Optional.of(Instant.parse(time).getEpochSecond());
    } catch (DateTimeException _) {
      return Optional.empty();
    }
  }
}
