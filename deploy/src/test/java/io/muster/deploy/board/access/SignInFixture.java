package io.muster.deploy.board.access;

import io.muster.deploy.board.access.SignIn.In;
import io.muster.deploy.board.access.SignIn.Known;
import java.time.Duration;
import java.util.Set;

/** Signing in at an API server that is played, in time that a test lets pass. */
abstract class SignInFixture {

  static final String HERE = "10.0.0.1";
  static final String THERE = "10.0.0.2";

  final HandClock clock = new HandClock();
  final FakeReviews reviews = new FakeReviews(clock);
  final SignIn signIn =
      SignIn.start(
          reviews,
          new AccessSettings("muster-system", 50, 200, 0, Duration.ZERO, 1000),
          () -> Set.of("red"),
          clock);

  final In in(String token) {
    return (In) signIn.signIn(token, HERE);
  }

  final Viewer viewer(In in) {
    return signIn.ofCookie(in.cookie()).orElseThrow();
  }

  final Viewer bearer(String token) {
    return ((Known) signIn.ofBearer(token, HERE)).viewer();
  }

  /**
   * What the threads do, while time passes; a viewer's stream says each second that it is there.
   */
  final void pass(Duration time, Viewer... streams) {
    for (long second = 0; second < time.toSeconds(); second++) {
      clock.pass(Duration.ofSeconds(1));
      work();
      for (var stream : streams) {
        signIn.isStillIn(stream);
      }
    }
  }

  final void work() {
    while (signIn.checkOne() || signIn.book().askOne()) {
      // Until nothing is due.
    }
  }
}
