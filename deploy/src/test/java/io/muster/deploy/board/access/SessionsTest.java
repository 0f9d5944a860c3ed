package io.muster.deploy.board.access;

import static io.muster.deploy.board.access.FakeReviews.person;
import static io.muster.deploy.board.access.FakeReviews.serviceAccount;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class SessionsTest {

  private static final Instant NOW = Instant.parse("2026-11-26T12:00:00Z");

  private final Sessions sessions = new Sessions(Sessions.Terms.SIGNED_IN);

  private Session add(String key, Identity who) {
    var token = Token.read("token").orElseThrow();
    var session =
        new Session(Digest.of(Digest.Kind.COOKIE, key), token, who, sessions.end(token, NOW), NOW);
    sessions.add(session, NOW);
    return session;
  }

  @Test
  void thoseOfOneNamespacePushOutTheirOwnOldestAndNobodyElse() {
    var ann = add("ann", person("ann"));
    var first = add("first", serviceAccount("crowd", "first"));
    for (int number = 0; number < 1500; number++) {
      add("crowd-" + number, serviceAccount("crowd", "sa-" + number));
    }
    var bob = add("bob", person("bob"));
    assertThat(sessions.isIn(ann, NOW)).isTrue();
    assertThat(sessions.isIn(bob, NOW)).isTrue();
    assertThat(sessions.isIn(first, NOW)).isFalse();
    assertThat(sessions.size()).isEqualTo(102);
  }

  @Test
  void thoseOfManyNamespacesPushOutTheHeaviest() {
    var ann = add("ann", person("ann"));
    for (int number = 0; number < 3000; number++) {
      var who = serviceAccount("crowd-" + number % 30, "sa-" + number);
      add("crowd-" + number, who);
    }
    assertThat(sessions.isIn(ann, NOW)).isTrue();
    assertThat(sessions.size()).isEqualTo(1000);
  }

  @Test
  void aThousandPeopleAreInAndTheOldestOfThemGoes() {
    var first = add("first", person("first"));
    for (int number = 0; number < 1000; number++) {
      add("user-" + number, person("user-" + number));
    }
    assertThat(sessions.isIn(first, NOW)).isFalse();
    assertThat(sessions.size()).isEqualTo(1000);
  }

  @Test
  void whatIsOverIsForgotten() {
    for (int number = 0; number < 100; number++) {
      add("user-" + number, person("user-" + number));
    }
    assertThat(sessions.nextCheck(NOW.plus(Duration.ofHours(1)))).isEmpty();
    assertThat(sessions.size()).isZero();
  }

  @Test
  void aTokenThatIsBeingReviewedIsNotReviewedTwice() {
    add("ann", person("ann"));
    assertThat(sessions.nextCheck(NOW.plusSeconds(299))).isEmpty();
    assertThat(sessions.nextCheck(NOW.plusSeconds(300))).isPresent();
    assertThat(sessions.nextCheck(NOW.plusSeconds(301))).isEmpty();
    assertThat(sessions.nextCheck(NOW.plusSeconds(315))).isPresent();
  }

  @Test
  void aCookieIsNotATokenOfTheSameCharacters() {
    assertThat(Digest.of(Digest.Kind.COOKIE, "a")).isNotEqualTo(Digest.of(Digest.Kind.TOKEN, "a"));
    assertThat(Digest.of(Digest.Kind.TOKEN, "a")).isEqualTo(Digest.of(Digest.Kind.TOKEN, "a"));
  }
}
