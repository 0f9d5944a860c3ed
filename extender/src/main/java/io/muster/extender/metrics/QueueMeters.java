package io.muster.extender.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import io.muster.extender.core.protocol.Usage;
import io.muster.extender.core.protocol.query.QueueStanding;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * What each queue has and is asked for. Queues come and go with the configuration; those beyond a
 * number are counted together. Safe for concurrent use.
 */
final class QueueMeters {

  /** The first by name have series of their own. */
  static final int MOST_QUEUES = 200;

  /** Of all others together; no queue can be called so. */
  private static final String OTHER = "(other)";

  private static final Map<String, ToLongFunction<QueueStanding>> DEVICES =
      Map.of(
          "own", queue -> queue.quota().orElse(0L),
          "used", QueueStanding::used,
          "borrowed", QueueStanding::borrowed,
          "lent", QueueStanding::lent,
          "limit", queue -> queue.limit().orElse(0L),
          "asked", QueueStanding::asked);

  private final Supplier<Usage> now;
  private final MultiGauge devices;
  private final MultiGauge waiting;
  private List<String> shown = List.of();

  QueueMeters(MeterRegistry registry, Supplier<Usage> now) {
    this.now = now;
    devices =
        MultiGauge.builder("muster.queue.devices")
            .description("Devices of a queue, where queues are configured.")
            .register(registry);
    waiting =
        MultiGauge.builder("muster.queue.gangs.waiting")
            .description("Gangs of a queue that wait, where queues are configured.")
            .register(registry);
  }

  /** Has a series for each queue that there is. */
  synchronized void show(List<QueueStanding> queues) {
    var names = queues.stream().map(QueueStanding::name).toList();
    if (names.equals(shown)) {
      return;
    }
    shown = names;
    var own = new HashSet<>(names.stream().limit(MOST_QUEUES).toList());
    var ofDevices = new ArrayList<Row<?>>();
    var ofGangs = new ArrayList<Row<?>>();
    own.forEach(name -> add(name, queue -> queue.name().equals(name), ofDevices, ofGangs));
    if (names.size() > MOST_QUEUES) {
      add(OTHER, queue -> isOther(queue, own), ofDevices, ofGangs);
    }
    devices.register(ofDevices, true);
    waiting.register(ofGangs, true);
  }

  private static boolean isOther(QueueStanding queue, Set<String> own) {
    return !own.contains(queue.name());
  }

  private void add(
      String name, Predicate<QueueStanding> which, List<Row<?>> ofDevices, List<Row<?>> ofGangs) {
    DEVICES.forEach((what, count) ->
        ofDevices.add(Row.of(Tags.of("queue", name, "what", what), () -> sum(which, count))));
    ofGangs.add(Row.of(Tags.of("queue", name), () -> sum(which, QueueStanding::waiting)));
  }

  private long sum(Predicate<QueueStanding> which, ToLongFunction<QueueStanding> count) {
    return now.get().queues().stream().filter(which).mapToLong(count).sum();
  }
}
