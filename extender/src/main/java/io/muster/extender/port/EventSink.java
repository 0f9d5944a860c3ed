package io.muster.extender.port;

import io.muster.extender.core.protocol.Event;

/** Takes in what has happened in the cluster. Returns at once; safe for concurrent use. */
@FunctionalInterface
public interface EventSink {

  /** Takes the event in; events of one caller keep their order. */
  void accept(Event event);
}
