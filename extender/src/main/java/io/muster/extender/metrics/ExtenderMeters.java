package io.muster.extender.metrics;

import static io.muster.extender.metrics.GangMeters.each;
import static io.muster.extender.metrics.GangMeters.word;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.port.FaultMeter;
import io.muster.extender.port.RequestMeter;
import io.muster.extender.port.WriteMeter;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.function.ToIntFunction;

/**
 * Meters of the extender in one registry. Every label comes from a closed set and every meter
 * exists from the start, so that an alert can tell zero from absent. Safe for concurrent use.
 */
public final class ExtenderMeters implements RequestMeter, WriteMeter, FaultMeter {

  private static final Duration[] BUCKETS = {
    Duration.ofNanos(500_000),
    Duration.ofMillis(1),
    Duration.ofMillis(2),
    Duration.ofMillis(5),
    Duration.ofMillis(10),
    Duration.ofMillis(50),
    Duration.ofMillis(200),
    Duration.ofSeconds(1),
    Duration.ofSeconds(5),
    Duration.ofSeconds(10),
    Duration.ofSeconds(20),
    Duration.ofSeconds(30)
  };

  private final MeterRegistry registry;
  private final Map<Verb, Map<RequestMeter.Outcome, Timer>> requests;
  private final Map<Verb, DistributionSummary> nodes = new EnumMap<>(Verb.class);
  private final Map<Kind, Map<WriteMeter.Outcome, Counter>> writes;
  private final Map<Doing, Counter> faults;
  private final GangMeters gangs;

  public ExtenderMeters(MeterRegistry registry) {
    this.registry = registry;
    gangs = new GangMeters(registry);
    requests =
        each(Verb.class, verb -> each(RequestMeter.Outcome.class, outcome -> timer(verb, outcome)));
    for (var verb : new Verb[] {Verb.FILTER, Verb.PRIORITIZE}) {
      nodes.put(
          verb,
          DistributionSummary.builder("muster.extender.nodes")
              .description("Nodes that kube-scheduler offered in a call.")
              .tag("verb", word(verb))
              .register(registry));
    }
    writes =
        each(Kind.class, kind -> each(WriteMeter.Outcome.class, outcome -> counter(kind, outcome)));
    faults =
        each(
            Doing.class,
            doing ->
                Counter.builder("muster.faults")
                    .description("Internal errors that Muster caught.")
                    .tag("doing", word(doing))
                    .register(registry));
  }

  /** Those of what gangs get, keep and waste. */
  public GangMeters gangs() {
    return gangs;
  }

  /** Shows the bind calls that are held and the events that wait. */
  public void watchDesk(IntSupplier heldCalls, IntSupplier queuedEvents) {
    Gauge.builder("muster.bind.barrier.held", heldCalls::getAsInt)
        .description("Bind calls that wait for the rest of their gang.")
        .register(registry);
    Gauge.builder("muster.events.queue", queuedEvents::getAsInt)
        .description("Events that Muster has not processed yet.")
        .register(registry);
  }

  /** Shows how many gangs are in each phase. */
  public void watchGangs(ToIntFunction<Phase> count) {
    for (var phase : Phase.values()) {
      Gauge.builder("muster.gangs", () -> count.applyAsInt(phase))
          .description("Gangs with members, by phase.")
          .tag("phase", word(phase))
          .register(registry);
    }
  }

  @Override
  public void answered(Verb verb, RequestMeter.Outcome outcome, Duration took) {
    requests.get(verb).get(outcome).record(took);
  }

  @Override
  public void offered(Verb verb, int count) {
    var summary = nodes.get(verb);
    if (summary != null) {
      summary.record(count);
    }
  }

  @Override
  public void wrote(Kind kind, WriteMeter.Outcome outcome) {
    writes.get(kind).get(outcome).increment();
  }

  @Override
  public void failed(Doing doing) {
    faults.get(doing).increment();
  }

  private Timer timer(Verb verb, RequestMeter.Outcome outcome) {
    return Timer.builder("muster.extender.requests")
        .description("Calls of kube-scheduler, from the first byte read to the answer.")
        .tag("verb", word(verb))
        .tag("outcome", word(outcome))
        .serviceLevelObjectives(BUCKETS)
        .register(registry);
  }

  private Counter counter(Kind kind, WriteMeter.Outcome outcome) {
    return Counter.builder("muster.api.writes")
        .description("Writes to the API server, by kind.")
        .tag("effect", word(kind))
        .tag("outcome", word(outcome))
        .register(registry);
  }
}
