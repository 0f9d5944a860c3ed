package io.muster.deploy.board.access;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * What each identity may see. Whoever looks reads what was published last; a few threads call
 * {@link #askOne} over and over, which asks the API server one question, within one rate for all:
 *
 * <ol>
 *   <li>of ten questions seven renew a grant, two are new, and one is about a refusal, if there are
 *       such; what one kind leaves goes to the others in that order,
 *   <li>accounts take turns, and within an account its identities.
 * </ol>
 *
 * Nothing is seen for more than {@link Rights#GRANTED_FOR} after it was last asked and granted,
 * even if no thread gets to ask. Safe for concurrent use.
 */
final class AccessBook {

  private static final Duration QUIET = Duration.ofMillis(200);
  private static final Duration UPKEEP_APART = Duration.ofSeconds(1);

  /** Nothing that was granted outlives it, so there is nothing to remember. */
  private static final Duration LEAVES_UNSEEN_AFTER = Rights.GRANTED_FOR;

  private static final Rights.Turn[] TURNS = {
    Rights.Turn.RENEWED, Rights.Turn.RENEWED, Rights.Turn.FIRST, Rights.Turn.RENEWED,
    Rights.Turn.RENEWED, Rights.Turn.AGAIN, Rights.Turn.RENEWED, Rights.Turn.FIRST,
    Rights.Turn.RENEWED, Rights.Turn.RENEWED
  };

  private final Reviews reviews;
  private final AccessSettings settings;
  private final Supplier<Set<String>> namespaces;
  private final InstantSource clock;
  private final Question queues;

  /** By account, whose turn it is first; within that the same. */
  private final LinkedHashMap<String, LinkedHashMap<Identity, Rights>> accounts =
      new LinkedHashMap<>();

  private final Map<Identity, Rights> all = new ConcurrentHashMap<>();
  private final SeenNamespaces seen = new SeenNamespaces();
  private final Allowance rate;
  private Instant nextUpkeep = Instant.MIN;

  /** There is nothing to ask until then, unless something happens. */
  private Instant quietUntil = Instant.MIN;

  private int turn;

  /** A question that has been sent. */
  private record Asked(Rights whose, Question what, Instant sent) {}

  /**
   * @param namespaces that have gangs, or pods with devices, now; asked once a second
   */
  AccessBook(
      Reviews reviews,
      AccessSettings settings,
      Supplier<Set<String>> namespaces,
      InstantSource clock) {
    this.reviews = reviews;
    this.settings = settings;
    this.namespaces = namespaces;
    this.clock = clock;
    this.queues = Question.queues(settings.namespace());
    this.rate = Allowance.perSecond(settings.perSecond(), settings.atOnce());
  }

  /** What they may see now. Waits for the first answers, and never later. */
  Access access(Identity who) {
    var rights = rightsOf(who);
    awaitFirst(rights);
    var now = clock.instant();
    return rights.current(now).orElseGet(() -> publish(rights, now));
  }

  /** They look at that namespace: it is asked about before others. */
  synchronized void prefer(Identity who, String namespace) {
    rightsOf(who).want(namespace);
    quietUntil = Instant.MIN;
  }

  private synchronized Access publish(Rights rights, Instant now) {
    return rights.publish(now);
  }

  private Rights rightsOf(Identity who) {
    var now = clock.instant();
    var known = Optional.ofNullable(all.get(who));
    known.ifPresent(rights -> rights.look(now));
    return known.orElseGet(() -> add(who, now));
  }

  private void awaitFirst(Rights rights) {
    long left = settings.firstWait().toNanos() - (System.nanoTime() - rights.createdNanos());
    if (left <= 0 || rights.firstAnswers().getCount() == 0) {
      return;
    }
    try {
      var _ = rights.firstAnswers().await(left, TimeUnit.NANOSECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized Rights add(Identity who, Instant now) {
    var known = all.get(who);
    if (known != null) {
      return known;
    }
    if (all.size() >= settings.mostIdentities()) {
      makeRoom();
    }
    var rights = new Rights(who, queues, seen, now);
    all.put(who, rights);
    accounts.computeIfAbsent(who.account(), _ -> new LinkedHashMap<>()).put(who, rights);
    quietUntil = Instant.MIN;
    notifyAll();
    return rights;
  }

  /** The account with most identities loses the one that was not seen for longest. */
  private void makeRoom() {
    all.values().stream()
        .max(
            Comparator.comparingInt((Rights rights) -> accounts.get(rights.who().account()).size())
                .thenComparing(Rights::seen, Comparator.reverseOrder()))
        .ifPresent(this::remove);
  }

  private void remove(Rights rights) {
    all.remove(rights.who());
    var account = rights.who().account();
    accounts.get(account).remove(rights.who());
    if (accounts.get(account).isEmpty()) {
      accounts.remove(account);
    }
  }

  /**
   * Asks the next question, and takes over its answer.
   *
   * @return whether there was one that may be asked now
   */
  boolean askOne() {
    if (isUpkeepDue()) {
      upkeep(namespaces.get());
    }
    var asked = next();
    asked.ifPresent(this::ask);
    return asked.isPresent();
  }

  private void ask(Asked asked) {
    var verdict = Reviews.Verdict.UNANSWERED;
    try {
      verdict = reviews.may(asked.whose().who(), asked.what());
    } finally {
      answered(asked, verdict);
    }
  }

  /** Returns when there may be something new to ask, and after that time at the latest. */
  synchronized void awaitWork(Duration longest) throws InterruptedException {
    TimeUnit.NANOSECONDS.timedWait(this, longest.toNanos());
  }

  private synchronized boolean isUpkeepDue() {
    var now = clock.instant();
    boolean isDue = !now.isBefore(nextUpkeep);
    if (isDue) {
      nextUpkeep = now.plus(UPKEEP_APART);
    }
    return isDue;
  }

  private synchronized void upkeep(Set<String> present) {
    var now = clock.instant();
    seen.take(present, now);
    quietUntil = Instant.MIN;
    all.values().stream()
        .filter(rights -> !rights.seen().plus(LEAVES_UNSEEN_AFTER).isAfter(now))
        .forEach(this::remove);
  }

  private synchronized Optional<Asked> next() {
    var now = clock.instant();
    if (now.isBefore(quietUntil) || rate.wait(now).isPositive()) {
      return Optional.empty();
    }
    var first = TURNS[turn];
    var found = next(first, now);
    for (var other : Rights.Turn.values()) {
      if (found.isEmpty() && other != first) {
        found = next(other, now);
      }
    }
    if (found.isPresent()) {
      turn = (turn + 1) % TURNS.length;
      rate.take(now);
    } else {
      quietUntil = now.plus(QUIET);
    }
    return found;
  }

  private Optional<Asked> next(Rights.Turn kind, Instant now) {
    for (var account : accounts.values()) {
      for (var rights : account.values()) {
        var question = rights.next(kind, now);
        if (question.isPresent()) {
          account.putLast(rights.who(), rights);
          accounts.putLast(rights.who().account(), account);
          return Optional.of(new Asked(rights, question.get(), now));
        }
      }
    }
    return Optional.empty();
  }

  private synchronized void answered(Asked asked, Reviews.Verdict verdict) {
    asked.whose().answered(asked.what(), verdict, asked.sent(), clock.instant());
    quietUntil = Instant.MIN;
  }

  /** How many identities are remembered. */
  int size() {
    return all.size();
  }

  /** How many answers are remembered of all of them. */
  synchronized int answers() {
    return all.values().stream().mapToInt(Rights::size).sum();
  }
}
