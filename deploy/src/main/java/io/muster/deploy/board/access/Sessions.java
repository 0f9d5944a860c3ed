package io.muster.deploy.board.access;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Who is in, by the digest of what they bring with each request. Tokens are kept, so that the API
 * server can be asked about them again. Safe for concurrent use.
 */
final class Sessions {

  private static final int USERS_OF_ACCOUNT = 5;
  private static final Duration TRIED_AGAIN_AFTER = Duration.ofSeconds(15);

  /**
   * How long somebody is in.
   *
   * @param most sessions; the account with most loses its oldest
   * @param mostOfOne sessions of one user; an account of many users has five times as many
   * @param longest from their begin
   * @param checkedAfter so long after the API server accepted the token it is asked again
   * @param trustedFor so long after that nobody is in, if the API server has not answered
   * @param keptUnused so long without a request; then it is forgotten, and before not checked again
   */
  record Terms(
      int most,
      int mostOfOne,
      Duration longest,
      Duration checkedAfter,
      Duration trustedFor,
      Duration keptUnused) {

    /** Of those who have signed in. */
    static final Terms SIGNED_IN =
        new Terms(
            1000,
            20,
            Duration.ofHours(1),
            Duration.ofMinutes(5),
            Duration.ofMinutes(15),
            Duration.ofHours(1));

    /** Of those who bring their token with each request. */
    static final Terms BEARERS =
        new Terms(
            1000,
            20,
            Duration.ofHours(1),
            Duration.ofSeconds(40),
            Duration.ofSeconds(60),
            Duration.ofSeconds(60));
  }

  private final Terms terms;

  /** Oldest first. */
  private final LinkedHashMap<Digest, Session> sessions = new LinkedHashMap<>();

  Sessions(Terms terms) {
    this.terms = terms;
  }

  /** The end of a session that begins now. */
  Instant end(Token token, Instant now) {
    var latest = now.plus(terms.longest());
    return token.expiry().filter(expiry -> expiry.isBefore(latest)).orElse(latest);
  }

  synchronized void add(Session session, Instant now) {
    sessions.values().removeIf(each -> isForgotten(each, now));
    remove(session.key());
    var user = session.identity().user();
    limit(each -> each.identity().user().equals(user), terms.mostOfOne());
    var account = session.identity().account();
    limit(each -> each.identity().account().equals(account), USERS_OF_ACCOUNT * terms.mostOfOne());
    if (sessions.size() >= terms.most()) {
      var heaviest = heaviestAccount();
      removeOldest(each -> each.identity().account().equals(heaviest));
    }
    session.checkAt(session.confirmed().plus(terms.checkedAfter()));
    sessions.put(session.key(), session);
  }

  private boolean isForgotten(Session session, Instant now) {
    return session.isOver(now) || !now.isBefore(session.used().plus(terms.keptUnused()));
  }

  /** Room for one more of these. */
  private void limit(Predicate<Session> which, int most) {
    if (sessions.values().stream().filter(which).count() >= most) {
      removeOldest(which);
    }
  }

  private void removeOldest(Predicate<Session> which) {
    sessions.values().stream()
        .filter(which)
        .findFirst()
        .ifPresent(session -> remove(session.key()));
  }

  private String heaviestAccount() {
    return sessions.values().stream()
        .collect(
            Collectors.groupingBy(
                session -> session.identity().account(), LinkedHashMap::new, Collectors.counting()))
        .entrySet()
        .stream()
        .max(Map.Entry.comparingByValue())
        .map(Map.Entry::getKey)
        .orElse("");
  }

  /** Ends it; others of the same user go on. */
  synchronized void remove(Digest key) {
    Optional.ofNullable(sessions.remove(key)).ifPresent(Session::end);
  }

  /** One that has been let in, whether the API server has confirmed it lately or not. */
  synchronized Optional<Session> find(Digest key, Instant now) {
    return Optional.ofNullable(sessions.get(key)).filter(session -> !isForgotten(session, now));
  }

  /** Whether its token is one that the API server has accepted, lately enough. */
  boolean isIn(Session session, Instant now) {
    return !session.isOver(now) && now.isBefore(session.confirmed().plus(terms.trustedFor()));
  }

  synchronized boolean isCheckDue(Instant now) {
    return sessions.values().stream().anyMatch(session -> !now.isBefore(session.nextCheck()));
  }

  /** The one whose token is to be reviewed now, which is not given out again for a while. */
  synchronized Optional<Session> nextCheck(Instant now) {
    for (var session : new ArrayList<>(sessions.values())) {
      if (isForgotten(session, now)) {
        remove(session.key());
      }
    }
    var due =
        sessions.values().stream()
            .filter(session -> !now.isBefore(session.nextCheck()))
            .min(Comparator.comparing(Session::nextCheck));
    due.ifPresent(session -> session.checkAt(now.plus(TRIED_AGAIN_AFTER)));
    return due;
  }

  /** Takes over what the API server says of its token. */
  synchronized void checked(Session session, Reviews.Answer answer, Instant asked) {
    switch (answer) {
      case Reviews.Answer.Known(var identity) when identity.isSameUser(session.identity()) -> {
        session.confirm(identity, asked);
        session.checkAt(asked.plus(terms.checkedAfter()));
      }
      case Reviews.Answer.Known _, Reviews.Answer.Unknown _ -> remove(session.key());
      case Reviews.Answer.Unanswered _ -> {
        // It is tried again, and nobody is in for long without.
      }
    }
  }

  synchronized int size() {
    return sessions.size();
  }
}
