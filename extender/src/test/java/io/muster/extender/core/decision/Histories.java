package io.muster.extender.core.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.LongStream;

/** Plays many histories, each by itself, as many at a time as there are processors. Stateless. */
final class Histories {

  private Histories() {}

  /**
   * Fails with the number of each history in which something was not as it must be.
   *
   * @param faults what was not, in the history of that number
   */
  static void hold(long first, int count, LongFunction<List<String>> faults) {
    var found =
        LongStream.range(first, first + count)
            .parallel()
            .boxed()
            .flatMap(history -> played(history, faults).stream())
            .toList();
    assertThat(found).isEmpty();
  }

  private static List<String> played(long history, LongFunction<List<String>> faults) {
    try {
      return faults.apply(history).stream().map(fault -> named(history, fault)).toList();
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError(named(history, e.toString()), e);
    }
  }

  private static String named(long history, String fault) {
    return "history %d: %s".formatted(history, fault);
  }
}
