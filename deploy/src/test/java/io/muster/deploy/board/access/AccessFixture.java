package io.muster.deploy.board.access;

import static io.muster.deploy.board.access.FakeReviews.person;

import java.time.Duration;
import java.util.Set;

/** What viewers may see by an API server that is played, in time that a test lets pass. */
abstract class AccessFixture {

  static final Identity ANN = person("ann", "team");
  static final int PER_SECOND = 50;
  static final int AT_ONCE = 200;

  final HandClock clock = new HandClock();
  final FakeReviews reviews = new FakeReviews(clock);
  Set<String> present = Set.of("blue", "green", "red");
  final AccessBook book = book(1000);

  final AccessBook book(int most) {
    return new AccessBook(
        reviews,
        new AccessSettings("muster-system", PER_SECOND, AT_ONCE, 0, Duration.ZERO, most),
        () -> present,
        clock);
  }

  final void ask() {
    while (book.askOne()) {
      // Until nothing is due, or the rate is used up.
    }
  }

  /** Time passes while these look. */
  final void pass(Duration time, Identity... watching) {
    for (long left = time.toMillis(); left > 0; left -= 100) {
      clock.pass(Duration.ofMillis(Math.min(left, 100)));
      for (var who : watching) {
        book.access(who);
      }
      ask();
    }
  }

  static Access of(String... namespaces) {
    return new Access(false, Set.of(namespaces), false, false);
  }
}
