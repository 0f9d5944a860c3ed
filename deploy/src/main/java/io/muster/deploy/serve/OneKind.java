package io.muster.deploy.serve;

import io.muster.controller.framework.JobAccess;
import io.muster.controller.framework.JobKind;
import io.muster.controller.framework.KindController;
import io.muster.controller.framework.OtherControllers;
import io.muster.controller.kube.HeldLeases;
import io.muster.controller.kube.pod.KnownOperator;
import io.muster.controller.port.JobController;
import io.muster.controller.port.JobMeter;
import io.muster.controller.port.JobsUnwatchedException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The kinds of one community in one term as leader: run from the moment their CRDs are there, while
 * no other controller of them runs. Safe for concurrent use.
 */
final class OneKind implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(OneKind.class);
  private static final Duration LOOKED_FOR_APART = Duration.ofSeconds(10);

  /** Between two looks at all jobs together. */
  private static final Duration ROUND = Duration.ofSeconds(5);

  private final JobKind<?, ?, ?> kind;
  private final KnownOperator operator;
  private final Supplier<JobController> start;
  private final JobAccess access;
  private final ServeTimers timers;
  private final InstantSource steady;
  private final JobMeter meter;
  private Optional<OtherControllers> others = Optional.empty();
  private Optional<HeldLeases> leases = Optional.empty();
  private Set<String> told = Set.of();
  private Optional<JobController> controller = Optional.empty();
  private boolean isLookDue;
  private boolean isClosed;

  /**
   * A kind.
   *
   * @param operator that had it before, where it may be
   */
  record Kind(JobKind<?, ?, ?> jobs, KnownOperator operator) {}

  /**
   * Begins nothing yet.
   *
   * @param controller makes one that has not started
   * @param timers of the term
   * @param steady a clock that nobody sets
   */
  OneKind(
      Kind kind,
      Supplier<JobController> controller,
      JobAccess access,
      ServeTimers timers,
      InstantSource steady,
      JobMeter meter) {
    this.kind = kind.jobs();
    this.operator = kind.operator();
    this.start = controller;
    this.access = access;
    this.timers = timers;
    this.steady = steady;
    this.meter = meter;
  }

  /** As the setting {@code jobKinds} calls it. */
  String name() {
    return kind.name();
  }

  /** Returns at once. */
  void begin() {
    Thread.startVirtualThread(this::look);
  }

  private synchronized void look() {
    if (isClosed) {
      return;
    }
    try {
      if (others.isEmpty() && KindController.isInstalled(access.client(), kind.type())) {
        if (leases.isEmpty()) {
          leases =
              operator
                  .lease()
                  .map(name ->
                      HeldLeases.watched(
                          access.client(),
                          name,
                          operator::mayBeAt,
                          access.clock(),
                          steady,
                          this::begin));
        }
        others =
            Optional.of(OtherControllers.watched(access.client(), operator::isRunBy, this::begin));
      }
      if (others.isPresent()) {
        runUnlessOthersDo(others.get());
        return;
      }
    } catch (RuntimeException e) {
      LOG.atWarn()
          .addKeyValue("message", e.getMessage())
          .log("{} cannot be looked after yet; tried again", kind.jobs());
      stop();
    }
    timers.after(LOOKED_FOR_APART, this::begin);
  }

  private void runUnlessOthersDo(OtherControllers controllers) {
    var running = new TreeSet<>(controllers.running());
    var held = leases.map(HeldLeases::held).orElse(Set.of());
    held.forEach(lease -> running.add("lease " + lease));
    if (!held.isEmpty()) {
      // Nobody tells when it is renewed no longer.
      lookLater();
    }
    meter.leftToAnother(kind.name(), !running.isEmpty());
    if (running.isEmpty()) {
      run();
    } else {
      stop();
      if (!running.equals(told)) {
        LOG.atWarn()
            .addKeyValue("others", running)
            .log(
                "{} are left alone while another controller of them runs; scale its Deployment to 0"
                    + " or delete it, and Muster takes over once its lease has run out",
                kind.jobs());
        controllers.tell(
            access.events(),
            "Muster leaves %s alone while this runs; scale it to 0 or delete it, and Muster takes over"
                .formatted(kind.jobs()));
      }
    }
    told = running;
  }

  /** One look is on its way at most. */
  private void lookLater() {
    if (!isLookDue) {
      isLookDue = true;
      timers.after(
          LOOKED_FOR_APART,
          () -> {
            synchronized (this) {
              isLookDue = false;
            }
            begin();
          });
    }
  }

  private void run() {
    if (controller.isPresent()) {
      return;
    }
    var made = start.get();
    controller = Optional.of(made);
    made.start();
    tickLater(made);
    LOG.atInfo().log("{} are looked after", kind.jobs());
  }

  private void tickLater(JobController run) {
    timers.after(
        ROUND,
        () ->
            Thread.startVirtualThread(() -> {
              if (isRun(run)) {
                tick(run);
              }
            }));
  }

  private void tick(JobController run) {
    try {
      run.tick();
      tickLater(run);
    } catch (JobsUnwatchedException e) {
      startAnew(run, e);
    }
  }

  /** Until the object has been changed or deleted its kind stands still, and no other does. */
  private synchronized void startAnew(JobController run, JobsUnwatchedException why) {
    if (isRun(run)) {
      LOG.atError()
          .addKeyValue("message", why.getMessage())
          .log(
              "{} are not looked after: an object cannot be read; tried again. Change it, or delete it",
              kind.jobs());
      stop();
      lookLater();
    }
  }

  private synchronized boolean isRun(JobController run) {
    return !isClosed && controller.filter(run::equals).isPresent();
  }

  private void stop() {
    controller.ifPresent(JobController::close);
    controller = Optional.empty();
  }

  @Override
  public synchronized void close() {
    isClosed = true;
    stop();
    others.ifPresent(OtherControllers::close);
    leases.ifPresent(HeldLeases::close);
    meter.leftToAnother(kind.name(), false);
  }
}
