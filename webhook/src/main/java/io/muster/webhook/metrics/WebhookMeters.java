package io.muster.webhook.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.muster.webhook.port.ProfileMeter;
import java.util.concurrent.atomic.AtomicInteger;

/** Meters of the webhook in one registry, all there from the start. Safe for concurrent use. */
public final class WebhookMeters implements ProfileMeter {

  private final Counter loaded;
  private final Counter refused;
  private final AtomicInteger outdated = new AtomicInteger();

  public WebhookMeters(MeterRegistry registry) {
    loaded = loads(registry, "loaded");
    refused = loads(registry, "refused");
    Gauge.builder("muster.profiles.outdated", outdated::get)
        .description("1 while the newest document of profiles has mistakes and is not in force.")
        .register(registry);
  }

  private static Counter loads(MeterRegistry registry, String outcome) {
    return Counter.builder("muster.profiles.loads")
        .description("Documents of profiles that were read.")
        .tag("outcome", outcome)
        .register(registry);
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
