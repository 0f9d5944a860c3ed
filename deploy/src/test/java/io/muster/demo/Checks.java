package io.muster.demo;

import io.muster.sandbox.Await;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * What the demo asserts: prints a line {@code ok: ...} for what holds and throws for what does not.
 * Confined to the thread that plays.
 */
public final class Checks {

  /** Long enough for a machine that does something else too; nothing here takes it. */
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final Duration limit;

  /** Each wait takes 30 s at most. */
  public Checks() {
    this(LIMIT);
  }

  /**
   * @param limit of each wait
   */
  public Checks(Duration limit) {
    this.limit = limit;
  }

  /** Once the observation equals what is expected. */
  public <T> void becomes(String claim, T expected, Supplier<T> observation) {
    var seen = new AtomicReference<T>();
    boolean held =
        Await.within(
            limit,
            () -> {
              seen.set(observation.get());
              return expected.equals(seen.get());
            });
    if (!held) {
      throw new UnmetException(
          "%s within %d s: %s".formatted(claim, limit.toSeconds(), expected),
          String.valueOf(seen.get()));
    }
    ok(claim);
  }

  /** As long as the observation stays what it is expected to be. */
  public <T> void stays(String claim, Duration watched, T expected, Supplier<T> observation) {
    var seen = new AtomicReference<T>();
    boolean changed =
        Await.within(
            watched,
            () -> {
              seen.set(observation.get());
              return !expected.equals(seen.get());
            });
    if (changed) {
      throw new UnmetException("%s: %s".formatted(claim, expected), String.valueOf(seen.get()));
    }
    ok("%s (watched for %d s)".formatted(claim, watched.toSeconds()));
  }

  public <T> void equal(String claim, T expected, T seen) {
    that(claim, expected.equals(seen), "%s: %s".formatted(claim, expected), seen);
  }

  /** Below the limit. */
  public void under(Duration limit, String claim, Duration seen) {
    var stated = "%s (%d ms)".formatted(claim, seen.toMillis());
    that(
        stated,
        seen.compareTo(limit) < 0,
        "%s in less than %d ms".formatted(claim, limit.toMillis()),
        seen.toMillis() + " ms");
  }

  public void that(String claim, boolean holds, String expected, Object seen) {
    if (!holds) {
      throw new UnmetException(expected, String.valueOf(seen));
    }
    ok(claim);
  }

  private static void ok(String claim) {
    System.out.println("ok: " + claim);
  }
}
