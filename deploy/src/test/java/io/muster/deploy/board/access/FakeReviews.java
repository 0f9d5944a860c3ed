package io.muster.deploy.board.access;

import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/** An API server whose tokens and rights a test states. Safe for concurrent use. */
final class FakeReviews implements Reviews {

  /** A question that was asked. */
  record Asked(Instant when, Identity who, Question what, Verdict answer) {}

  private final InstantSource clock;
  private final Map<String, Identity> tokens = new TreeMap<>();

  /** By user or group. */
  private final Map<String, Set<Question>> rights = new TreeMap<>();

  private final List<Asked> asked = new ArrayList<>();
  private final List<Instant> tokenReviews = new ArrayList<>();
  private boolean isSilent;

  FakeReviews(InstantSource clock) {
    this.clock = clock;
  }

  static Identity person(String name, String... groups) {
    return new Identity(name, "", Set.of(groups), Map.of());
  }

  static Identity serviceAccount(String namespace, String name) {
    return new Identity(
        "system:serviceaccount:%s:%s".formatted(namespace, name), "uid", Set.of(), Map.of());
  }

  synchronized FakeReviews token(String token, Identity whose) {
    tokens.put(token, whose);
    return this;
  }

  synchronized void revoke(String token) {
    tokens.remove(token);
  }

  synchronized FakeReviews grant(String userOrGroup, Question... what) {
    rights.computeIfAbsent(userOrGroup, _ -> new HashSet<>()).addAll(List.of(what));
    return this;
  }

  /** Gangs and pods of these namespaces. */
  FakeReviews member(String userOrGroup, String... namespaces) {
    for (var namespace : namespaces) {
      grant(userOrGroup, Question.gangsOf(namespace), Question.podsOf(namespace));
    }
    return this;
  }

  synchronized void take(String userOrGroup, Question... what) {
    rights.getOrDefault(userOrGroup, new HashSet<>()).removeAll(List.of(what));
  }

  /** From now on it answers nothing, or again. */
  synchronized void silent(boolean is) {
    isSilent = is;
  }

  @Override
  public synchronized Answer authenticate(Token token) {
    tokenReviews.add(clock.instant());
    if (isSilent) {
      return new Answer.Unanswered();
    }
    return Optional.ofNullable(tokens.get(token.value()))
        .<Answer>map(Answer.Known::new)
        .orElseGet(Answer.Unknown::new);
  }

  @Override
  public synchronized Verdict may(Identity who, Question what) {
    var verdict = isSilent ? Verdict.UNANSWERED : isGranted(who, what) ? Verdict.YES : Verdict.NO;
    asked.add(new Asked(clock.instant(), who, what, verdict));
    return verdict;
  }

  /** As RBAC: who may do it everywhere may do it in each namespace. */
  synchronized boolean isGranted(Identity who, Question what) {
    var everywhere =
        new Question(what.verb(), what.group(), what.resource(), what.name(), Optional.empty());
    return Stream.concat(Stream.of(who.user()), who.groups().stream())
        .map(name -> rights.getOrDefault(name, Set.of()))
        .anyMatch(granted -> granted.contains(what) || granted.contains(everywhere));
  }

  synchronized List<Asked> asked() {
    return List.copyOf(asked);
  }

  synchronized List<Instant> tokenReviews() {
    return List.copyOf(tokenReviews);
  }
}
