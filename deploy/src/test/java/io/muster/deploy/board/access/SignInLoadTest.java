package io.muster.deploy.board.access;

import static io.muster.deploy.board.access.FakeReviews.person;
import static io.muster.deploy.board.access.FakeReviews.serviceAccount;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.deploy.board.access.SignIn.In;
import io.muster.deploy.board.access.SignIn.Known;
import io.muster.deploy.board.access.SignIn.Refused;
import io.muster.deploy.board.access.SignIn.TooMany;
import java.time.Duration;
import java.util.ArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Guessers, and accounts that ask for too much. */
final class SignInLoadTest extends SignInFixture {

  @Test
  void aWrongTokenIsReviewedOnceInTenSeconds() {
    for (int times = 0; times < 5; times++) {
      assertThat(signIn.signIn("wrong", HERE)).isInstanceOf(Refused.class);
      assertThat(signIn.ofBearer("wrong", THERE)).isInstanceOf(Refused.class);
    }
    assertThat(reviews.tokenReviews()).hasSize(1);
    clock.pass(Duration.ofSeconds(10));
    reviews.token("wrong", person("ann"));
    assertThat(signIn.signIn("wrong", HERE)).isInstanceOf(In.class);
  }

  @Test
  void tenThousandWrongTokensFromOneAddressCostFewReviewsAndNobodyElseAnything() {
    reviews.token("t-ann", person("ann")).token("t-bob", person("bob"));
    var ann = viewer(in("t-ann"));
    var bob = bearer("t-bob");
    int before = reviews.tokenReviews().size();
    int tooMany = 0;
    for (int number = 0; number < 10_000; number++) {
      var outcome = signIn.signIn("guess-" + number, THERE);
      if (outcome instanceof TooMany(var retryAfter)) {
        tooMany++;
        assertThat(retryAfter).isBetween(Duration.ofMillis(1), Duration.ofSeconds(6));
      }
      clock.pass(Duration.ofMillis(6));
      assertThat(signIn.isStillIn(ann)).isTrue();
    }
    // Ten at once, and then one in six seconds of the minute that it took.
    assertThat(reviews.tokenReviews().size() - before).isBetween(19, 21);
    assertThat(tooMany).isGreaterThan(9900);
    assertThat(signIn.signIn("t-ann", HERE)).isInstanceOf(In.class);
    assertThat(signIn.ofBearer("t-bob", HERE)).isInstanceOf(Known.class);
    assertThat(bob.name()).isEqualTo("bob");
  }

  @Test
  void wrongTokensFromManyAddressesAreLimitedInAllAndThoseWhoAreInStayIn() {
    reviews.token("t-ann", person("ann")).token("t-bob", person("bob"));
    var ann = viewer(in("t-ann"));
    var bob = bearer("t-bob");
    int before = reviews.tokenReviews().size();
    for (int number = 0; number < 10_000; number++) {
      signIn.ofBearer("guess-" + number, address(number));
      clock.pass(Duration.ofMillis(10));
      work();
      assertThat(signIn.isStillIn(ann)).isTrue();
      assertThat(signIn.isStillIn(bob)).isTrue();
    }
    // Fifty at once, 20 a second for 100 s, and the renewals.
    assertThat(reviews.tokenReviews().size() - before).isBetween(1900, 2060);
    assertThat(signIn.remembered()).isLessThan(4500);
    assertThat(signIn.ofBearer("t-bob", HERE)).isInstanceOf(Known.class);
  }

  @Test
  void oneNetworkOfAddressesOfVersionSixIsOneAddress() {
    for (int number = 0; number < 1000; number++) {
      signIn.signIn("guess-" + number, "2001:db8:0:1:%x::1".formatted(number));
      signIn.signIn("guest-" + number, "no address " + number);
    }
    assertThat(reviews.tokenReviews()).hasSize(20);
  }

  @Test
  void goodTokensBehindOneProxyAreNotTakenForGuesses() {
    for (int number = 0; number < 100; number++) {
      reviews.token("t-" + number, person("user-" + number));
    }
    for (int times = 0; times < 10; times++) {
      for (int number = 0; number < 100; number++) {
        assertThat(signIn.ofBearer("t-" + number, HERE)).isInstanceOf(Known.class);
        clock.pass(Duration.ofMillis(100));
      }
      pass(Duration.ofSeconds(60));
    }
  }

  @Test
  void anAccountWithManyTokensIsLimitedAsAGuesserIs() {
    for (int number = 0; number < 1000; number++) {
      reviews.token("t-" + number, serviceAccount("crowd", "sa-" + number % 3));
    }
    for (int number = 0; number < 1000; number++) {
      signIn.ofBearer("t-" + number, HERE);
      clock.pass(Duration.ofMillis(100));
    }
    // 40 and one in 3 s are for nothing; then as for a guesser ten and one in 6 s.
    assertThat(reviews.tokenReviews().size()).isBetween(80, 105);
  }

  @Test
  void whoSignsInOverAndOverIsToldToWait() {
    reviews.token("t", person("ann"));
    long in =
        IntStream.range(0, 1000)
            .mapToObj(_ -> signIn.signIn("t", HERE))
            .filter(In.class::isInstance)
            .count();
    assertThat(in).isBetween(30L, 40L);
    assertThat(signIn.ofBearer("t", HERE)).isInstanceOf(Known.class);
  }

  @Test
  void requestsThatBringTheSameNewTokenTogetherCostOneReview() throws InterruptedException {
    reviews.token("t", person("ann"));
    var outcomes = new ArrayList<SignIn.Bearer>();
    var threads =
        IntStream.range(0, 50)
            .mapToObj(_ ->
                Thread.ofVirtual()
                    .start(() -> {
                      var outcome = signIn.ofBearer("t", HERE);
                      synchronized (outcomes) {
                        outcomes.add(outcome);
                      }
                    }))
            .toList();
    for (var thread : threads) {
      thread.join();
    }
    assertThat(outcomes).hasSize(50).allMatch(Known.class::isInstance);
    assertThat(reviews.tokenReviews()).hasSize(1);
  }

  private static String address(int number) {
    return number % 2 == 0
        ? "10.%d.%d.%d".formatted(number % 7, number / 256, number % 256)
        : "2001:db8:%x:%x::1".formatted(number / 256, number % 256);
  }
}
