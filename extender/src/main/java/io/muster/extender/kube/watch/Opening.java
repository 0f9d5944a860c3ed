package io.muster.extender.kube.watch;

import io.muster.extender.core.protocol.Event;
import io.muster.extender.port.EventSink;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Holds back what is seen until every part has been listed once, then tells it part by part, then
 * Ready, then everything as it comes. Records are told before Ready only. Who asks for it is told
 * nothing any more once the API server's data has gone back: what changes by that is no event of
 * the cluster's, and a gang that has started would have members join it that wait to start. Safe
 * for concurrent use.
 */
public final class Opening {

  private final EventSink sink;
  private final Map<Part, List<Event>> heldBack = new EnumMap<>(Part.class);
  private final Set<Part> missing = EnumSet.allOf(Part.class);
  private Optional<Runnable> whenGoneBack = Optional.empty();
  private boolean hasGoneBack;

  /** The parts in the order in which they are told. */
  enum Part {
    QUEUES,
    LEVELS,
    BUDGETS,
    RESOURCEQUOTAS,
    NAMESPACES,
    NODES,
    DEVICES,
    RECORDS,
    TERMS,
    PODS
  }

  Opening(EventSink sink) {
    this.sink = sink;
    for (var part : Part.values()) {
      heldBack.put(part, new ArrayList<>());
    }
  }

  /** Has that run once, by the thread that sees it, and nothing told from then on. */
  synchronized void whenGoneBack(Runnable told) {
    whenGoneBack = Optional.of(told);
  }

  /** An object was seen in an earlier state than before. */
  synchronized void goneBack() {
    if (!hasGoneBack && whenGoneBack.isPresent()) {
      hasGoneBack = true;
      whenGoneBack.get().run();
    }
  }

  /** Takes in what was seen of a part. */
  synchronized void pass(Part part, List<Event> events) {
    if (hasGoneBack) {
      return;
    }
    if (!missing.isEmpty()) {
      heldBack.get(part).addAll(events);
    } else {
      events.stream().filter(event -> !(event instanceof Event.RecordFound)).forEach(sink::accept);
    }
  }

  /** Parts that have not been listed yet. */
  synchronized Set<Part> missing() {
    return Set.copyOf(missing);
  }

  /** A part has been listed; what was in the list has been passed before. */
  synchronized void listed(Part part) {
    if (missing.remove(part) && missing.isEmpty() && !hasGoneBack) {
      heldBack.values().forEach(events -> events.forEach(sink::accept));
      heldBack.clear();
      sink.accept(new Event.Ready());
    }
  }
}
