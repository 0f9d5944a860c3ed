package io.muster.webhook.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.muster.webhook.port.AdmissionMeter;
import io.muster.webhook.port.ProfileMeter;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Meters of the webhook in one registry, all there from the start. Safe for concurrent use. */
public final class WebhookMeters implements AdmissionMeter, ProfileMeter {

  private static final Duration[] BUCKETS = {
    Duration.ofMillis(1),
    Duration.ofMillis(2),
    Duration.ofMillis(5),
    Duration.ofMillis(10),
    Duration.ofMillis(50),
    Duration.ofMillis(200),
    Duration.ofSeconds(1),
    Duration.ofSeconds(5)
  };

  private final Map<Outcome, Timer> reviews = new EnumMap<>(Outcome.class);
  private final Counter putBack;
  private final Counter loaded;
  private final Counter refused;
  private final AtomicInteger outdated = new AtomicInteger();

  public WebhookMeters(MeterRegistry registry) {
    for (var outcome : Outcome.values()) {
      reviews.put(
          outcome,
          Timer.builder("muster.admission")
              .description("Time to answer a review of a new pod, after its body was read.")
              .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
              .serviceLevelObjectives(BUCKETS)
              .register(registry));
    }
    putBack =
        Counter.builder("muster.registration.put.back")
            .description("Changes by others to objects of Muster's registration.")
            .register(registry);
    loaded = loads(registry, "loaded");
    refused = loads(registry, "refused");
    Gauge.builder("muster.profiles.outdated", outdated::get)
        .description("1 while the newest profiles document has mistakes and is not in force.")
        .register(registry);
  }

  private static Counter loads(MeterRegistry registry, String outcome) {
    return Counter.builder("muster.profiles.loads")
        .description("Profiles documents that Muster read.")
        .tag("outcome", outcome)
        .register(registry);
  }

  @Override
  public void answered(Outcome outcome, Duration took) {
    reviews.get(outcome).record(took);
  }

  @Override
  public void putBack() {
    putBack.increment();
  }

  @Override
  public void loaded() {
    loaded.increment();
    outdated.set(0);
  }

  @Override
  public void refused() {
    refused.increment();
    outdated.set(1);
  }
}
