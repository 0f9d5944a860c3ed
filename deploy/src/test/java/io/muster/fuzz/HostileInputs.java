package io.muster.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import org.slf4j.LoggerFactory;

/**
 * Plays inputs one after the other, each by its number, and says by which one something failed: a
 * check, the processor time that it took, or an error in the log.
 */
final class HostileInputs {

  /** Of processor time for one input: what else the machine does has no part in it. */
  private static final Duration MOST = Duration.ofSeconds(1);

  /** An input that takes no end is found after this, though it needs no processor. */
  private static final Duration STUCK = Duration.ofSeconds(60);

  private final LongConsumer input;
  private final AtomicLong at = new AtomicLong();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();

  private HostileInputs(LongConsumer input) {
    this.input = input;
  }

  static void play(long first, long count, LongConsumer input) {
    var logger = (Logger) LoggerFactory.getLogger("io.muster");
    var errors = new Errors();
    errors.setContext(logger.getLoggerContext());
    errors.start();
    boolean isAdditive = logger.isAdditive();
    logger.setAdditive(false);
    logger.addAppender(errors);
    try {
      new HostileInputs(
              number -> {
                input.accept(number);
                assertThat(errors.take()).as("told as an error").isEmpty();
              })
          .play(first, count);
    } finally {
      logger.detachAppender(errors);
      logger.setAdditive(isAdditive);
    }
  }

  private void play(long first, long count) {
    var worker =
        Thread.ofPlatform().daemon().name("hostile-inputs").unstarted(() -> run(first, count));
    worker.start();
    try {
      long seen = -1;
      while (worker.isAlive() && at.get() != seen) {
        seen = at.get();
        var _ = worker.join(STUCK);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
    if (worker.isAlive()) {
      var stuck = new AssertionError("input %d takes no end".formatted(at.get()));
      stuck.setStackTrace(worker.getStackTrace());
      throw stuck;
    }
    if (failure.get() != null) {
      throw new AssertionError("input %d".formatted(at.get()), failure.get());
    }
  }

  private void run(long first, long count) {
    try {
      at.set(first);
      // The first one loads classes, and is played again, to be measured.
      input.accept(first);
      for (long number = first; number < first + count; number++) {
        at.set(number);
        assertThat(cpuOf(number)).as("processor time").isLessThanOrEqualTo(MOST);
      }
    } catch (RuntimeException | Error e) {
      failure.set(e);
    }
  }

  private Duration cpuOf(long number) {
    var threads = ManagementFactory.getThreadMXBean();
    long begun = threads.getCurrentThreadCpuTime();
    input.accept(number);
    return Duration.ofNanos(threads.getCurrentThreadCpuTime() - begun);
  }

  /** The first error that is logged, or anything with a stack trace. */
  private static final class Errors extends AppenderBase<ILoggingEvent> {

    private Optional<String> first = Optional.empty();

    @Override
    protected void append(ILoggingEvent event) {
      if (first.isEmpty()
          && (event.getLevel().isGreaterOrEqual(Level.ERROR)
              || event.getThrowableProxy() != null)) {
        var cause = event.getThrowableProxy();
        first =
            Optional.of(
                event.getFormattedMessage()
                    + (cause == null
                        ? ""
                        : " %s: %s %s"
                            .formatted(
                                cause.getClassName(),
                                cause.getMessage(),
                                Arrays.stream(cause.getStackTraceElementProxyArray())
                                    .limit(6)
                                    .toList())));
      }
    }

    synchronized Optional<String> take() {
      var taken = first;
      first = Optional.empty();
      return taken;
    }
  }
}
