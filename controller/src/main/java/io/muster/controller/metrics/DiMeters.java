package io.muster.controller.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.muster.controller.port.DiMeter;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntSupplier;

/**
 * Meters of the server for DIJobs in one registry, all there from the start. Safe for concurrent
 * use.
 */
public final class DiMeters implements DiMeter {

  private final Map<Route, Map<Outcome, Timer>> calls = new EnumMap<>(Route.class);
  private final AtomicReference<IntSupplier> held = new AtomicReference<>(() -> 0);

  public DiMeters(MeterRegistry registry) {
    for (var route : Route.values()) {
      var timers = new EnumMap<Outcome, Timer>(Outcome.class);
      for (var outcome : Outcome.values()) {
        timers.put(
            outcome,
            Timer.builder("muster.di.request")
                .description("Calls to the server for DIJobs, with the time that they waited.")
                .tag("route", route.name().toLowerCase(Locale.ROOT))
                .tag("outcome", outcome.name().toLowerCase(Locale.ROOT))
                .register(registry));
      }
      calls.put(route, timers);
    }
    Gauge.builder("muster.di.held", held, supplier -> supplier.get().getAsInt())
        .description("Calls to the server for DIJobs that wait for pods.")
        .register(registry);
  }

  @Override
  public void answered(Route route, Outcome outcome, Duration took) {
    calls.get(route).get(outcome).record(took);
  }

  @Override
  public void watchHeld(IntSupplier supplier) {
    held.set(supplier);
  }
}
