package io.muster.extender.core.decision.scheduling;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Gangs, or groups of them, by the moment from which on something is due for them: asking who is
 * due costs what is due. One has one moment at most. Confined to the decision thread.
 */
public final class Timers<T> {

  private record Timer<T>(T who, Instant at, long number) {}

  private final TreeSet<Timer<T>> inOrder =
      new TreeSet<>(
          Comparator.comparing((Timer<T> timer) -> timer.at())
              .thenComparingLong(timer -> timer.number()));

  private final Map<T, Timer<T>> all = new HashMap<>();
  private long number;

  /** It is due from then on, and not at the moment that was set before. */
  public void set(T who, Instant at) {
    remove(who);
    var timer = new Timer<>(who, at, number++);
    all.put(who, timer);
    inOrder.add(timer);
  }

  /** The same, or nothing is due for it. */
  public void set(T who, Optional<Instant> at) {
    at.ifPresentOrElse(then -> set(who, then), () -> remove(who));
  }

  /** Nothing is due for it. */
  public void remove(T who) {
    var timer = all.remove(who);
    if (timer != null) {
      inOrder.remove(timer);
    }
  }

  boolean has(T who) {
    return all.containsKey(who);
  }

  boolean isAnyDue(Instant now) {
    return !inOrder.isEmpty() && !inOrder.first().at().isAfter(now);
  }

  /** Those that are due, the longest due first; they stay so until they are set anew or removed. */
  List<T> due(Instant now) {
    var due = new ArrayList<T>();
    for (var timer : inOrder) {
      if (timer.at().isAfter(now)) {
        break;
      }
      due.add(timer.who());
    }
    return due;
  }

  /** The same, and they are no more. */
  public List<T> takeDue(Instant now) {
    var due = due(now);
    due.forEach(this::remove);
    return due;
  }
}
