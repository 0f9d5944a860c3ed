package io.muster.deploy.board.access;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Whose each token is. Good ones are remembered for a minute and wrong ones for ten seconds; of
 * requests that bring the same token together, one asks. Safe for concurrent use.
 */
final class KnownTokens {

  private static final Duration REFUSED_FOR = Duration.ofSeconds(10);
  private static final int MOST_REFUSED = 2000;

  private final Reviews reviews;
  private final SignInLimits limits;
  private final InstantSource clock;
  private final Sessions good = new Sessions(Sessions.Terms.BEARERS);

  /** When the API server was asked that refused them; oldest first. */
  private final LinkedHashMap<Digest, Instant> refused = new LinkedHashMap<>();

  private final Map<Digest, CompletableFuture<Result>> underWay = new ConcurrentHashMap<>();

  /** What a token is good for now. */
  sealed interface Result {

    record Good(Session session) implements Result {}

    record Wrong() implements Result {}

    record TooMany(Duration retryAfter) implements Result {}

    record Unanswered() implements Result {}
  }

  KnownTokens(Reviews reviews, SignInLimits limits, InstantSource clock) {
    this.reviews = reviews;
    this.limits = limits;
    this.clock = clock;
  }

  /** Those who bring their token with each request. */
  Sessions good() {
    return good;
  }

  Result review(Token token, String address) {
    var key = Digest.of(Digest.Kind.TOKEN, token.value());
    var now = clock.instant();
    return remembered(key, now).orElseGet(() -> reviewOnce(key, token, address));
  }

  private Optional<Result> remembered(Digest key, Instant now) {
    var known = good.find(key, now).filter(session -> good.isIn(session, now));
    known.ifPresent(session -> session.use(now));
    return known
        .<Result>map(Result.Good::new)
        .or(() -> wasRefused(key, now) ? Optional.of(new Result.Wrong()) : Optional.empty());
  }

  private Result reviewOnce(Digest key, Token token, String address) {
    var mine = new CompletableFuture<Result>();
    var others = underWay.putIfAbsent(key, mine);
    if (others != null) {
      return others.join();
    }
    Result result = new Result.Unanswered();
    try {
      // It may have been answered since.
      result = remembered(key, clock.instant()).orElseGet(() -> ask(key, token, address));
    } finally {
      underWay.remove(key);
      mine.complete(result);
    }
    return result;
  }

  private Result ask(Digest key, Token token, String address) {
    var asked = clock.instant();
    boolean wasGood = good.find(key, asked).isPresent();
    boolean isRenewal = wasGood && limits.renewal(asked).isEmpty();
    var wait = isRenewal ? Optional.<Duration>empty() : limits.stranger(address, asked);
    if (wait.isPresent()) {
      return new Result.TooMany(wait.get());
    }
    return switch (reviews.authenticate(token)) {
      case Reviews.Answer.Known(var identity) -> {
        var session = new Session(key, token, identity, good.end(token, asked), asked);
        good.add(session, asked);
        if (!isRenewal) {
          limits.wasGood(address, identity, asked);
        }
        yield new Result.Good(session);
      }
      case Reviews.Answer.Unknown _ -> {
        good.remove(key);
        refuse(key, asked);
        yield new Result.Wrong();
      }
      case Reviews.Answer.Unanswered _ -> new Result.Unanswered();
    };
  }

  private synchronized boolean wasRefused(Digest key, Instant now) {
    return Optional.ofNullable(refused.get(key))
        .filter(when -> now.isBefore(when.plus(REFUSED_FOR)))
        .isPresent();
  }

  private synchronized void refuse(Digest key, Instant when) {
    refused.values().removeIf(before -> !when.isBefore(before.plus(REFUSED_FOR)));
    if (refused.size() >= MOST_REFUSED) {
      refused.pollFirstEntry();
    }
    refused.putLast(key, when);
  }

  /** How many tokens are remembered. */
  synchronized int size() {
    return refused.size() + good.size();
  }
}
