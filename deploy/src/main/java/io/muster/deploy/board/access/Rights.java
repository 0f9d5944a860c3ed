package io.muster.deploy.board.access;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;

/**
 * What is known of one identity's rights, and what to ask next.
 *
 * <ol>
 *   <li>What holds for the whole cluster is asked first; namespaces one by one only if gangs or
 *       pods may not be listed in all.
 *   <li>What was granted is asked again after {@link #RENEWED_AFTER}, oldest first; a minute after
 *       it was last asked and granted it is gone, whatever the reason.
 *   <li>What was refused is asked again after ten seconds at the earliest, in rounds over all
 *       namespaces, between which is a pause as long as a round.
 *   <li>What is published of many namespaces stays for {@link #PUBLISHED_APART}, if nothing in it
 *       runs out: each time that it is otherwise all has to be sent anew.
 * </ol>
 *
 * Confined to the lock of {@link AccessBook}, but for what is published.
 */
final class Rights {

  static final Duration GRANTED_FOR = Duration.ofSeconds(60);
  static final Duration REFUSED_FOR = Duration.ofSeconds(10);
  private static final Duration RENEWED_AFTER = Duration.ofSeconds(30);
  private static final Duration PUBLISHED_APART = Duration.ofSeconds(5);
  private static final int MANY = 50;
  private static final int MOST_WANTED = 100;
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(10);

  /** Kinds of questions. */
  enum Turn {
    /** The answer was yes, and is about to run out. */
    RENEWED,
    /** There is no answer. */
    FIRST,
    /** The answer was no. */
    AGAIN
  }

  /**
   * What they see, for as long as no grant in it can have run out.
   *
   * @param from before that, the clock has gone back
   */
  record Published(Access access, Instant from, Instant until) {
    Published until(Instant end) {
      return new Published(access, from, end.isBefore(until) ? end : until);
    }
  }

  private static final Published STALE = new Published(Access.NOTHING, Instant.MAX, Instant.MIN);

  private final Identity who;
  private final Question queues;

  /** Of the whole cluster; first what is asked first. */
  private final List<Question> always;

  private final SeenNamespaces namespaces;
  private final Rounds rounds;

  /** When each was asked to which the answer was yes, in the order of answers. */
  private final LinkedHashMap<Question, Instant> grants = new LinkedHashMap<>();

  /** When each was refused; those of single namespaces only while they must not be asked again. */
  private final LinkedHashMap<Question, Instant> refusals = new LinkedHashMap<>();

  private final Set<Question> underWay = new HashSet<>();

  /** Whose gangs may be listed, and of whose pods that has not been said yet. */
  private final LinkedHashSet<String> half = new LinkedHashSet<>();

  /** Whose gangs and pods may be listed. */
  private final Set<String> open = new HashSet<>();

  /** To be asked before others. */
  private final LinkedHashSet<String> wanted = new LinkedHashSet<>();

  private final CountDownLatch firstAnswers = new CountDownLatch(1);
  private final long createdNanos = System.nanoTime();

  private Instant silentUntil = Instant.MIN;
  private Duration pause = FIRST_PAUSE;
  private Optional<Question> lastUnanswered = Optional.empty();
  private volatile Published published = STALE;
  private volatile Instant seen;

  Rights(Identity who, Question queues, SeenNamespaces namespaces, Instant now) {
    this.who = who;
    this.queues = queues;
    this.always = new ArrayList<>(List.of(Question.ALL_GANGS, Question.NODES, queues));
    this.namespaces = namespaces;
    this.rounds = new Rounds(namespaces, now);
    this.seen = now;
    who.home().ifPresent(wanted::add);
  }

  Identity who() {
    return who;
  }

  /** Somebody looks. Needs no lock. */
  void look(Instant now) {
    seen = now;
  }

  Instant seen() {
    return seen;
  }

  /** Opens once everything has been answered once. Needs no lock. */
  CountDownLatch firstAnswers() {
    return firstAnswers;
  }

  long createdNanos() {
    return createdNanos;
  }

  /** What was published last, if it holds now. Needs no lock. */
  Optional<Access> current(Instant now) {
    return Optional.of(published)
        .filter(last -> now.isBefore(last.until()) && !now.isBefore(last.from()))
        .map(Published::access);
  }

  /** Asks about that namespace before others, if it is there. */
  void want(String namespace) {
    if (namespaces.has(namespace) && wanted.size() < MOST_WANTED) {
      wanted.addFirst(namespace);
    }
  }

  /** What to ask of that kind, if anything; it is under way then. */
  Optional<Question> next(Turn turn, Instant now) {
    if (now.isBefore(silentUntil)) {
      return Optional.empty();
    }
    var question =
        switch (turn) {
          case RENEWED -> renewal(now);
          case FIRST -> unasked().or(() -> asksNamespaces() ? ofNamespaces(now) : Optional.empty());
          case AGAIN -> refused(now).or(() -> asksNamespaces() ? ofRound(now) : Optional.empty());
        };
    question.ifPresent(underWay::add);
    return question;
  }

  private Optional<Question> refused(Instant now) {
    return wholeCluster()
        .filter(question -> !underWay.contains(question))
        .filter(question -> refusals.containsKey(question))
        .filter(question -> isOver(refusals.get(question), now))
        .findFirst();
  }

  private static boolean isOver(Instant refused, Instant now) {
    return !now.isBefore(refused.plus(REFUSED_FOR));
  }

  private Stream<Question> wholeCluster() {
    return Stream.concat(
        always.stream(),
        grants.containsKey(Question.ALL_GANGS) ? Stream.of(Question.ALL_PODS) : Stream.empty());
  }

  private Optional<Question> unasked() {
    return wholeCluster()
        .filter(question -> !grants.containsKey(question))
        .filter(question -> !refusals.containsKey(question))
        .filter(question -> !underWay.contains(question))
        .findFirst();
  }

  private Optional<Question> renewal(Instant now) {
    var last = Optional.<Question>empty();
    for (var each = grants.entrySet().iterator(); each.hasNext(); ) {
      var grant = each.next();
      var question = grant.getKey();
      if (now.isBefore(grant.getValue().plus(RENEWED_AFTER))) {
        break;
      }
      if (isOfNamespace(question) && !namespaces.has(question.namespace().orElseThrow())) {
        each.remove();
        open.remove(question.namespace().orElseThrow());
        outdate();
      } else if (lastUnanswered.equals(Optional.of(question))) {
        last = Optional.of(question);
      } else if (!underWay.contains(question)) {
        return Optional.of(question);
      }
    }
    return last.filter(question -> !underWay.contains(question));
  }

  private boolean isOfNamespace(Question question) {
    return question.namespace().isPresent() && !question.equals(queues);
  }

  private boolean asksNamespaces() {
    return refusals.containsKey(Question.ALL_GANGS) || refusals.containsKey(Question.ALL_PODS);
  }

  private boolean seesAll() {
    return grants.containsKey(Question.ALL_GANGS) && grants.containsKey(Question.ALL_PODS);
  }

  private Optional<Question> ofNamespaces(Instant now) {
    half.removeIf(namespace -> !grants.containsKey(Question.gangsOf(namespace)));
    for (var namespace : half) {
      if (!underWay.contains(Question.podsOf(namespace))) {
        return Optional.of(Question.podsOf(namespace));
      }
    }
    while (!wanted.isEmpty()) {
      var namespace = wanted.removeFirst();
      if (namespaces.has(namespace) && isOpen(namespace, now)) {
        return Optional.of(Question.gangsOf(namespace));
      }
    }
    return rounds.first(namespace -> isOpen(namespace, now)).map(Question::gangsOf);
  }

  private Optional<Question> ofRound(Instant now) {
    return rounds.again(namespace -> isOpen(namespace, now), now).map(Question::gangsOf);
  }

  /** Whether nothing is known of it, so that it may be asked. */
  private boolean isOpen(String namespace, Instant now) {
    var gangs = Question.gangsOf(namespace);
    var pods = Question.podsOf(namespace);
    return !grants.containsKey(gangs)
        && !underWay.contains(gangs)
        && isOver(refusals.getOrDefault(gangs, Instant.MIN), now)
        && isOver(refusals.getOrDefault(pods, Instant.MIN), now);
  }

  /**
   * Takes over an answer.
   *
   * @param sent when it was asked: what is true then may not be true when it is answered
   */
  void answered(Question question, Reviews.Verdict verdict, Instant sent, Instant now) {
    underWay.remove(question);
    switch (verdict) {
      case YES -> granted(question, sent);
      case NO -> refused(question, now);
      case UNANSWERED -> unanswered(question, now);
    }
    if (verdict != Reviews.Verdict.UNANSWERED) {
      pause = FIRST_PAUSE;
      silentUntil = Instant.MIN;
    }
    if (isAnsweredOnce()) {
      firstAnswers.countDown();
    }
  }

  /** A pause, and then another question: it may be this one alone that finds no answer. */
  private void unanswered(Question question, Instant now) {
    lastUnanswered = Optional.of(question);
    if (always.remove(question)) {
      always.addLast(question);
    } else if (isOfNamespace(question) && !grants.containsKey(question)) {
      question.namespace().ifPresent(this::askAnew);
    }
    silentUntil = now.plus(pause);
    var longer = pause.multipliedBy(2);
    pause = longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
  }

  private void granted(Question question, Instant sent) {
    refusals.remove(question);
    if (grants.putLast(question, sent) != null) {
      return;
    }
    outdate();
    if (seesAll()) {
      grants.keySet().removeIf(this::isOfNamespace);
      open.clear();
      half.clear();
      wanted.clear();
      rounds.restart();
    } else if (isOfNamespace(question)) {
      grantedOf(question.namespace().orElseThrow());
    }
  }

  private void grantedOf(String namespace) {
    boolean hasPods = grants.containsKey(Question.podsOf(namespace));
    if (!grants.containsKey(Question.gangsOf(namespace))) {
      // The right to its gangs was lost meanwhile; without it those to its pods are of no use.
      grants.remove(Question.podsOf(namespace));
    } else if (hasPods) {
      half.remove(namespace);
      open.add(namespace);
    } else {
      half.add(namespace);
    }
  }

  private void refused(Question question, Instant now) {
    refusals.putLast(question, now);
    grants.remove(question);
    if (isOfNamespace(question)) {
      var namespace = question.namespace().orElseThrow();
      grants.remove(Question.gangsOf(namespace));
      grants.remove(Question.podsOf(namespace));
      open.remove(namespace);
      half.remove(namespace);
      forgetRefusals(now);
    } else if (question.equals(Question.ALL_GANGS)) {
      grants.remove(Question.ALL_PODS);
      refusals.remove(Question.ALL_PODS);
    }
    outdate();
  }

  /** What was published last is not what they see now. */
  private void outdate() {
    boolean stays = open.size() >= MANY && !published.equals(STALE);
    published = stays ? published.until(published.from().plus(PUBLISHED_APART)) : STALE;
  }

  private void forgetRefusals(Instant now) {
    for (var each = refusals.entrySet().iterator(); each.hasNext(); ) {
      var refusal = each.next();
      if (isOfNamespace(refusal.getKey())) {
        if (!isOver(refusal.getValue(), now)) {
          return;
        }
        each.remove();
      }
    }
  }

  private boolean isAnsweredOnce() {
    return underWay.isEmpty()
        && unasked().isEmpty()
        && (!asksNamespaces() || (half.isEmpty() && wanted.isEmpty() && rounds.isFirstOver()));
  }

  /** What they see now; what has run out is dropped. */
  Access publish(Instant now) {
    // Of many that run out one after the other, those that are next go too.
    boolean hasLapsed = grants.values().stream().anyMatch(asked -> !holds(asked, now, now));
    var end = hasLapsed && open.size() >= MANY ? now.plus(PUBLISHED_APART) : now;
    var lapsed = new ArrayList<Question>();
    for (var each = grants.entrySet().iterator(); each.hasNext(); ) {
      var grant = each.next();
      if (!holds(grant.getValue(), now, end)) {
        each.remove();
        lapsed.add(grant.getKey());
      }
    }
    var lapsedOf = lapsed.stream().filter(this::isOfNamespace).map(Question::namespace).toList();
    lapsedOf.forEach(namespace -> open.remove(namespace.orElseThrow()));
    lapsedOf.forEach(namespace -> askAnew(namespace.orElseThrow()));
    var oldest = grants.values().stream().min(Instant::compareTo);
    var until = oldest.map(asked -> asked.plus(GRANTED_FOR)).orElse(Instant.MAX);
    var access =
        new Access(
            seesAll(),
            seesAll() ? Set.of() : open,
            grants.containsKey(Question.NODES),
            grants.containsKey(queues));
    published = new Published(access, now, until);
    return access;
  }

  private static boolean holds(Instant asked, Instant now, Instant end) {
    return end.isBefore(asked.plus(GRANTED_FOR)) && !now.isBefore(asked);
  }

  private void askAnew(String namespace) {
    if (grants.containsKey(Question.gangsOf(namespace))) {
      half.addLast(namespace);
    } else {
      wanted.addLast(namespace);
    }
  }

  /** For tests. */
  int size() {
    return grants.size() + refusals.size() + open.size() + half.size() + wanted.size();
  }
}
