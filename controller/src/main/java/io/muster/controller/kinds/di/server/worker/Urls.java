package io.muster.controller.kinds.di.server.worker;

import io.muster.controller.kinds.di.coordinator.Workers;
import io.muster.controller.kinds.di.server.call.DiReply;
import java.util.ArrayList;
import java.util.List;

/**
 * Gathers where workers are, as coordinators are told: those behind an aggregator are not. Confined
 * to one thread.
 */
final class Urls {

  private final List<String> collectors = new ArrayList<>();
  private final List<String> learners = new ArrayList<>();

  void add(Workers.Kind kind, String url) {
    if (kind == Workers.Kind.COLLECTOR) {
      collectors.add(url);
    } else if (kind.isLearner()) {
      learners.add(url);
    }
  }

  /** Something was done about the workers of that coordinator. */
  DiReply done(String message, String namespace, String coordinator) {
    return DiReply.done(message, new DiReply.Urls(namespace, coordinator, collectors, learners));
  }
}
