package io.muster.extender.app;

import io.muster.extender.core.protocol.Event;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Events that Muster has not processed yet, in the order in which they came. However long that
 * takes, no more than one tick of the clock waits among them, and one turn of a search that was
 * left. Safe for concurrent use.
 */
final class EventQueue {

  private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
  private final AtomicBoolean tickWaits = new AtomicBoolean();
  private final AtomicBoolean idleWaits = new AtomicBoolean();

  void add(Event event) {
    events.add(event);
  }

  /** Time has passed. */
  void addTick() {
    if (tickWaits.compareAndSet(false, true)) {
      events.add(new Event.Tick());
    }
  }

  /** A search goes on once what is queued now has been processed. */
  void addIdle() {
    if (idleWaits.compareAndSet(false, true)) {
      events.add(new Event.Idle());
    }
  }

  /** The next event, waited for. */
  Event take() throws InterruptedException {
    return left(events.take());
  }

  /** The next event, if one is there. */
  Optional<Event> poll() {
    return Optional.ofNullable(events.poll()).map(this::left);
  }

  private Event left(Event event) {
    switch (event) {
      case Event.Tick _ -> tickWaits.set(false);
      case Event.Idle _ -> idleWaits.set(false);
      default -> {}
    }
    return event;
  }

  int size() {
    return events.size();
  }
}
