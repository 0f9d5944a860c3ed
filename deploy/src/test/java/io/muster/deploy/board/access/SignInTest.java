package io.muster.deploy.board.access;

import static io.muster.deploy.board.access.FakeReviews.person;
import static io.muster.deploy.board.access.FakeReviews.serviceAccount;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.muster.deploy.board.access.SignIn.Known;
import io.muster.deploy.board.access.SignIn.Refused;
import io.muster.deploy.board.access.SignIn.Unanswered;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

final class SignInTest extends SignInFixture {

  @Test
  void whoBringsAGoodTokenIsInAndSeesWhatTheyMay() {
    reviews.token("t-ann", person("ann")).member("ann", "red");
    var in = in("t-ann");
    assertThat(in.name()).isEqualTo("ann");
    assertThat(in.until()).isEqualTo(clock.instant().plus(Duration.ofHours(1)));
    assertThat(in.cookie()).hasSize(43);
    assertThat(in.toString()).doesNotContain(in.cookie());
    var viewer = viewer(in);
    assertThat(viewer.name()).isEqualTo("ann");
    assertThat(signIn.access(viewer)).isEqualTo(Access.NOTHING);
    work();
    assertThat(signIn.access(viewer).namespaces()).containsExactly("red");
  }

  @Test
  void nothingButTheCookieLetsIn() {
    reviews.token("t-ann", person("ann"));
    var cookie = in("t-ann").cookie();
    var other = (cookie.charAt(0) == 'A' ? 'B' : 'A') + cookie.substring(1);
    for (var guessed :
        List.of(
            "", "t-ann", other, cookie + "A", cookie.substring(1), cookie + "\n", " " + cookie)) {
      assertThat(signIn.ofCookie(guessed)).as(guessed).isEmpty();
    }
    for (int times = 0; times < 10_000; times++) {
      assertThat(signIn.ofCookie("%043d".formatted(times))).isEmpty();
    }
    assertThat(signIn.ofBearer(cookie, THERE)).isInstanceOf(Refused.class);
    assertThat(reviews.tokenReviews()).hasSize(2);
    assertThat(signIn.ofCookie(cookie)).isPresent();
  }

  @Test
  void cookiesAreAllDifferent() {
    reviews.token("t-ann", person("ann"));
    var cookies = new HashSet<String>();
    for (int times = 0; times < 200; times++) {
      cookies.add(in("t-ann").cookie());
      clock.pass(Duration.ofSeconds(3));
    }
    assertThat(cookies).hasSize(200);
  }

  @Test
  void aSessionEndsWithItsTokenOrAfterAnHour() {
    long end = clock.instant().plus(Duration.ofMinutes(10)).getEpochSecond();
    var jwt = TokenTest.jwt("{\"exp\":" + end + "}");
    reviews.token(jwt, person("ann")).token("t-bob", person("bob"));
    var ann = viewer(in(jwt));
    var bob = viewer(in("t-bob"));
    pass(Duration.ofSeconds(599));
    assertThat(signIn.isStillIn(ann)).isTrue();
    pass(Duration.ofSeconds(1));
    assertThat(signIn.isStillIn(ann)).isFalse();
    assertThat(signIn.access(ann)).isEqualTo(Access.NOTHING);
    assertThat(signIn.isStillIn(bob)).isTrue();
    pass(Duration.ofSeconds(2999));
    assertThat(signIn.isStillIn(bob)).isTrue();
    pass(Duration.ofSeconds(1));
    assertThat(signIn.isStillIn(bob)).isFalse();
  }

  @Test
  void anExpiredTokenIsRefusedWithoutAReview() {
    long end = clock.instant().getEpochSecond();
    var jwt = TokenTest.jwt("{\"exp\":" + end + "}");
    reviews.token(jwt, person("ann"));
    assertThat(signIn.signIn(jwt, HERE)).isInstanceOf(Refused.class);
    assertThat(signIn.ofBearer(jwt, HERE)).isInstanceOf(Refused.class);
    assertThat(signIn.signIn("x".repeat(20_000), HERE)).isInstanceOf(Refused.class);
    assertThat(signIn.signIn("a\u0007b", HERE)).isInstanceOf(Refused.class);
    assertThat(reviews.tokenReviews()).isEmpty();
  }

  @Test
  void aTokenThatSaysItLivesForeverIsNotInForLongerThanAnHour() {
    var jwt = TokenTest.jwt("{\"exp\":1e300}");
    reviews.token(jwt, person("ann"));
    assertThat(in(jwt).until()).isEqualTo(clock.instant().plus(Duration.ofHours(1)));
  }

  @Test
  void whoseServiceAccountIsDeletedIsOutWithinFiveMinutes() {
    reviews.token("t-sa", serviceAccount("red", "sa")).token("t-ann", person("ann"));
    var gone = viewer(in("t-sa"));
    var ann = viewer(in("t-ann"));
    pass(Duration.ofMinutes(7));
    reviews.revoke("t-sa");
    pass(Duration.ofMinutes(5));
    assertThat(signIn.isStillIn(gone)).isFalse();
    assertThat(signIn.isStillIn(ann)).isTrue();
  }

  @Test
  void aTokenThatBecomesSomebodyElsesEndsTheSession() {
    reviews.token("t", person("ann"));
    var ann = viewer(in("t"));
    reviews.token("t", person("bob"));
    pass(Duration.ofMinutes(5));
    assertThat(signIn.isStillIn(ann)).isFalse();
  }

  @Test
  void groupsThatChangeChangeWhatIsSeen() {
    reviews.member("team", "red").token("t", person("ann", "team"));
    var ann = viewer(in("t"));
    pass(Duration.ofSeconds(2), ann);
    signIn.access(ann);
    work();
    assertThat(signIn.access(ann).sees("red")).isTrue();
    reviews.token("t", person("ann"));
    pass(Duration.ofMinutes(5), ann);
    assertThat(signIn.isStillIn(ann)).isTrue();
    signIn.access(ann);
    work();
    assertThat(signIn.access(ann).sees("red")).isFalse();
  }

  @Test
  void withoutAnApiServerNobodyIsInForLongerThanAQuarterOfAnHour() {
    reviews.token("t", person("ann"));
    var ann = viewer(in("t"));
    reviews.silent(true);
    assertThat(signIn.signIn("t2", HERE)).isInstanceOf(Unanswered.class);
    pass(Duration.ofMinutes(14));
    assertThat(signIn.isStillIn(ann)).isTrue();
    pass(Duration.ofMinutes(1));
    assertThat(signIn.isStillIn(ann)).isFalse();
    reviews.silent(false);
    pass(Duration.ofSeconds(16));
    assertThat(signIn.isStillIn(ann)).isTrue();
  }

  @Test
  void signingOutEndsThatSessionAlone() {
    reviews.token("t", person("ann"));
    var one = in("t");
    var other = in("t");
    var viewer = viewer(one);
    signIn.signOut(one.cookie());
    assertThat(signIn.isStillIn(viewer)).isFalse();
    assertThat(signIn.ofCookie(one.cookie())).isEmpty();
    assertThat(signIn.ofCookie(other.cookie())).isPresent();
    signIn.signOut("nobody's");
  }

  @Test
  void aUserHasTwentySessionsAndTheOldestGoes() {
    reviews.token("t", person("ann"));
    var all = new ArrayList<String>();
    for (int times = 0; times < 21; times++) {
      all.add(in("t").cookie());
    }
    assertThat(signIn.ofCookie(all.getFirst())).isEmpty();
    assertThat(all.stream().skip(1).filter(each -> signIn.ofCookie(each).isPresent())).hasSize(20);
  }

  @Test
  void aBearersTokenIsReviewedOnceAMinuteAtMostAndAgainWhileTheyLook() {
    reviews.token("t", person("ann"));
    var ann = bearer("t");
    for (int times = 0; times < 20; times++) {
      bearer("t");
      in("t");
      clock.pass(Duration.ofMillis(30));
    }
    assertThat(reviews.tokenReviews()).hasSize(1);
    pass(Duration.ofMinutes(10), ann);
    assertThat(signIn.isStillIn(ann)).isTrue();
    // One each 40 s for the stream, and one each 5 min for each of 20 sessions.
    assertThat(reviews.tokenReviews().size()).isBetween(10, 65);
    reviews.revoke("t");
    pass(Duration.ofSeconds(60), ann);
    assertThat(signIn.isStillIn(ann)).isFalse();
    assertThat(signIn.ofBearer("t", HERE)).isInstanceOf(Refused.class);
  }

  @Test
  void aBearerWhoComesAgainAfterTheirTokenWasRevokedIsRefused() {
    reviews.token("t", person("ann"));
    bearer("t");
    reviews.revoke("t");
    clock.pass(Duration.ofSeconds(59));
    assertThat(signIn.ofBearer("t", HERE)).isInstanceOf(Known.class);
    clock.pass(Duration.ofSeconds(1));
    assertThat(signIn.ofBearer("t", HERE)).isInstanceOf(Refused.class);
  }

  @Test
  void nothingThatIsPrintedHasATokenInIt() {
    reviews.token("secret", person("ann"));
    var in = in("secret");
    var viewer = viewer(in);
    var printed =
        List.of(viewer, viewer.session(), in, signIn.ofBearer("secret", HERE)).stream()
            .map(Object::toString)
            .collect(Collectors.joining());
    assertThat(printed).doesNotContain("secret").doesNotContain(in.cookie());
  }

  @Test
  void aFaultOfTheReviewsLeavesNobodyWaiting() {
    var broken =
        SignIn.start(
            new Reviews() {
              @Override
              public Answer authenticate(Token token) {
                throw new IllegalStateException("broken");
              }

              @Override
              public Verdict may(Identity who, Question what) {
                throw new IllegalStateException("broken");
              }
            },
            AccessSettings.usual("muster-system"),
            Set::of,
            clock);
    try (broken) {
      for (int times = 0; times < 3; times++) {
        assertThatThrownBy(() -> broken.signIn("t", HERE)).hasMessage("broken");
      }
    }
  }

  @Test
  void theThreadsDoTheWork() {
    reviews.token("t", person("ann")).member("ann", "red");
    try (var working =
        SignIn.start(
            reviews,
            new AccessSettings("muster-system", 50, 200, 4, Duration.ofSeconds(20), 10),
            () -> Set.of("red"),
            clock)) {
      var viewer = ((Known) working.ofBearer("t", HERE)).viewer();
      assertThat(working.access(viewer)).isEqualTo(new Access(false, Set.of("red"), false, false));
    }
  }

  @Test
  void extraThatOnlyNamesTheTokenDoesNotMakeAnotherAccount() {
    var one = new Identity("ann", "1", Set.of("g"), Map.of("k", List.of("v")));
    assertThat(one.isSameUser(person("ann"))).isFalse();
    assertThat(one.isSameUser(new Identity("ann", "1", Set.of(), Map.of()))).isTrue();
  }
}
