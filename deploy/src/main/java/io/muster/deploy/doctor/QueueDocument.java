package io.muster.deploy.doctor;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.muster.extender.core.queue.Queues;
import io.muster.extender.kube.convert.InvalidQueuesException;
import io.muster.extender.kube.convert.QueuesReading;
import io.muster.extender.kube.watch.QueueFeed;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * What the ConfigMap of queues says; one with mistakes keeps the next start from being ready. Pure.
 */
record QueueDocument(Optional<ConfigMap> stored) {

  private static final String CHECK = "queues";

  List<Finding> findings() {
    if (stored.isEmpty()) {
      return List.of(Finding.ok(CHECK, "there is no ConfigMap %s".formatted(QueueFeed.NAME)));
    }
    var data = Objects.requireNonNullElse(stored.get().getData(), Map.<String, String>of());
    if (!data.containsKey(QueueFeed.KEY)) {
      return List.of(mistaken("data has no key " + QueueFeed.KEY));
    }
    try {
      Queues queues = QueuesReading.read(data.get(QueueFeed.KEY));
      return List.of(
          Finding.ok(
              CHECK,
              "ConfigMap %s: %d queues, default included"
                  .formatted(QueueFeed.NAME, queues.all().size())));
    } catch (InvalidQueuesException e) {
      return List.of(mistaken(String.join("; ", e.problems())));
    }
  }

  private static Finding mistaken(String problems) {
    return Finding.problem(
        CHECK,
        "ConfigMap %s has mistakes and is not in force: %s".formatted(QueueFeed.NAME, problems),
        "mend it: what was in force before stays until muster starts again, and that is not ready"
            + " with it");
  }
}
