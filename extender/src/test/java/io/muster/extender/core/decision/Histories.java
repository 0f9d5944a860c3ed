package io.muster.extender.core.decision;

import static org.junit.jupiter.api.Assertions.assertAll;

import java.util.Optional;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;

/** Plays many histories, each by itself, as many at a time as there are processors. Stateless. */
final class Histories {

  private Histories() {}

  /** Fails with the number of each history that does, and why. */
  static void hold(long first, int count, LongConsumer history) {
    var failures =
        LongStream.range(first, first + count)
            .parallel()
            .boxed()
            .flatMap(number -> failure(number, history).stream())
            .toList();
    assertAll(
        failures.stream()
            .map(failure ->
                () -> {
                  throw failure;
                }));
  }

  private static Optional<AssertionError> failure(long number, LongConsumer history) {
    try {
      history.accept(number);
      return Optional.empty();
    } catch (RuntimeException | AssertionError e) {
      return Optional.of(new AssertionError("history %d: %s".formatted(number, e), e));
    }
  }

  /** A seed: numbers that follow each other tell nothing alike (SplitMix64, Steele et al. 2014). */
  static long seed(long history) {
    long mixed = (history ^ (history >>> 30)) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
    return mixed ^ (mixed >>> 31);
  }
}
