package io.muster.extender.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.muster.extender.core.cluster.ResourceSum;
import io.muster.extender.core.protocol.ExpectedStart;
import io.muster.extender.core.protocol.Milestones;
import io.muster.extender.core.protocol.Milestones.PlanMiss;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.core.protocol.SetupFault;
import io.muster.extender.core.protocol.Usage;
import io.muster.extender.core.protocol.Usage.Cause;
import io.muster.extender.core.protocol.Usage.Holder;
import io.muster.extender.port.UsageMeter;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/** Meters of what gangs wait for, keep from others and waste. Safe for concurrent use. */
public final class GangMeters implements UsageMeter {

  private static final double NANOS = 1e9;
  private static final double MILLI = 1_000;
  private static final Map<String, ToDoubleFunction<ResourceSum>> RESOURCES =
      Map.of(
          "cpu", sum -> sum.cpuMillis() / MILLI,
          "memory", ResourceSum::memoryBytes,
          "devices", ResourceSum::devices);
  private static final Duration[] WAITS =
      Stream.of(10, 50, 200, 1_000, 2_000, 5_000, 10_000, 20_000, 30_000)
          .map(Duration::ofMillis)
          .toArray(Duration[]::new);

  /** One ends where the alert on them begins: within a bucket nobody knows how long they took. */
  private static final Duration[] STARTS =
      Stream.of(
              100, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 60_000, 300_000, 1_800_000, 7_200_000)
          .map(Duration::ofMillis)
          .toArray(Duration[]::new);

  private final MeterRegistry registry;
  private final Map<Cause, Counter> wastedSeconds;
  private final Map<Cause, Counter> wastedDevices;
  private final Map<Holder, Counter> reserved;
  private final Map<ExpectedStart.Outcome, Counter> outcomes;
  private final Map<PlanMiss, Counter> planMisses;
  private final Map<SetupFault, Counter> setupFaults;
  private final Map<Wait, Timer> waits;
  private final Timer sinceCreation;
  private final Timer sincePlanned;
  private volatile Optional<QueueMeters> queues = Optional.empty();

  GangMeters(MeterRegistry registry) {
    this.registry = registry;
    wastedSeconds =
        each(
            Cause.class,
            cause ->
                counter(
                    "muster.waste.gang.seconds",
                    "Time that gangs did not run although there was capacity, by cause.",
                    "cause",
                    cause));
    wastedDevices =
        each(
            Cause.class,
            cause ->
                counter(
                    "muster.waste.device.seconds",
                    "The same time, multiplied by the devices that each gang holds or would take.",
                    "cause",
                    cause));
    reserved =
        each(
            Holder.class,
            holder ->
                counter(
                    "muster.reserved.device.seconds",
                    "Time that devices were reserved without a pod on them, times their number.",
                    "holder",
                    holder));
    outcomes =
        each(
            ExpectedStart.Outcome.class,
            outcome ->
                counter(
                    "muster.gang.expected.starts",
                    "Gangs that have started, by how that compares with what was first expected.",
                    "outcome",
                    outcome));
    planMisses =
        each(
            PlanMiss.class,
            miss ->
                counter(
                    "muster.filter.plan.miss",
                    "Members that could not go to their planned node.",
                    "reason",
                    miss));
    setupFaults =
        each(
            SetupFault.class,
            fault ->
                counter(
                    "muster.setup.faults",
                    "Signs that the setup of kube-scheduler or the webhook is wrong for gangs.",
                    "fault",
                    fault));
    waits =
        each(
            Wait.class,
            end ->
                Timer.builder("muster.bind.barrier.wait")
                    .description("Time that a bind call waited for the rest of its gang.")
                    .tag("outcome", word(end))
                    .serviceLevelObjectives(WAITS)
                    .register(registry));
    sinceCreation = start("created");
    sincePlanned = start("planned");
  }

  /** Shows the present state. */
  public void watch(Supplier<Usage> now) {
    queues = Optional.of(new QueueMeters(registry, now));
    for (var reason : Reason.ofWaiting()) {
      gauge(now, "muster.gangs.waiting", usage -> usage.waiting().get(reason))
          .description("Gangs that wait without a reservation, by reason.")
          .tag("reason", reason.code())
          .register(registry);
    }
    gauge(now, "muster.gangs.waiting.oldest.seconds", usage -> seconds(usage.oldestWaiting()))
        .description("Age of the oldest gang that waits without a reservation.")
        .register(registry);
    gauge(now, "muster.plan.age.seconds", usage -> seconds(usage.oldestPlan()))
        .description("Age of the oldest reservation whose gang is not being bound yet.")
        .register(registry);
    for (var cause : Cause.values()) {
      gauge(now, "muster.gangs.delayed", usage -> usage.delayed().get(cause).gangs())
          .description("Gangs that do not run although there is capacity, by cause.")
          .tag("cause", word(cause))
          .register(registry);
    }
    for (var holder : Holder.values()) {
      gauge(now, "muster.reserved.devices", usage -> usage.reserved().get(holder))
          .description("Devices reserved without a pod on them.")
          .tag("holder", word(holder))
          .register(registry);
    }
    RESOURCES.forEach((resource, amount) -> {
      gauge(now, "muster.requests.asked", usage -> amount.applyAsDouble(usage.asked()))
          .description("Requests of all pods that have not ended, waiting pods included.")
          .tag("resource", resource)
          .register(registry);
      gauge(now, "muster.requests.offered", usage -> amount.applyAsDouble(usage.offered()))
          .description("Capacity of the nodes that accept pods.")
          .tag("resource", resource)
          .register(registry);
    });
    gauge(now, "muster.free.devices", Usage::freeDevices)
        .description("Devices on available nodes that are neither in use nor reserved.")
        .register(registry);
    gauge(now, "muster.stranded.devices", Usage::strandedDevices)
        .description(
            "Free devices that the average waiting member cannot use: too few on one node.")
        .register(registry);
  }

  @Override
  public void used(Usage usage, Duration lasted) {
    queues.ifPresent(meters -> meters.show(usage.queues()));
    usage
        .delayed()
        .forEach((cause, delayed) -> {
          wastedSeconds.get(cause).increment(delayed.gangs() * seconds(lasted));
          wastedDevices.get(cause).increment(delayed.devices() * seconds(lasted));
        });
    usage
        .reserved()
        .forEach((holder, devices) -> reserved.get(holder).increment(devices * seconds(lasted)));
  }

  @Override
  public void reached(Milestones milestones) {
    for (var start : milestones.starts()) {
      sinceCreation.record(start.sinceCreation());
      start.sincePlanned().ifPresent(sincePlanned::record);
    }
    milestones.outcomes().forEach((outcome, times) -> outcomes.get(outcome).increment(times));
    milestones.planMisses().forEach((miss, times) -> planMisses.get(miss).increment(times));
    milestones.setupFaults().forEach((fault, times) -> setupFaults.get(fault).increment(times));
  }

  @Override
  public void waited(Wait end, Duration lasted) {
    waits.get(end).record(lasted);
  }

  private Timer start(String since) {
    return Timer.builder("muster.gang.start")
        .description("Time until a gang is bound, from its first member's creation or its plan.")
        .tag("since", since)
        .serviceLevelObjectives(STARTS)
        .register(registry);
  }

  private Counter counter(String name, String description, String label, Enum<?> value) {
    return Counter.builder(name)
        .description(description)
        .tag(label, word(value))
        .register(registry);
  }

  private static Gauge.Builder<Supplier<Number>> gauge(
      Supplier<Usage> now, String name, ToDoubleFunction<Usage> value) {
    return Gauge.builder(name, () -> value.applyAsDouble(now.get()));
  }

  /** One for each value. */
  static <K extends Enum<K>, V> Map<K, V> each(Class<K> kind, Function<K, V> meter) {
    var all = new EnumMap<K, V>(kind);
    for (var key : kind.getEnumConstants()) {
      all.put(key, meter.apply(key));
    }
    return all;
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / NANOS;
  }

  /** The value as a label has it. */
  static String word(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
