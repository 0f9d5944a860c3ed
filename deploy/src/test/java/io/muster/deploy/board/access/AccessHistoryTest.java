package io.muster.deploy.board.access;

import static io.muster.deploy.board.access.FakeReviews.person;
import static io.muster.deploy.board.access.FakeReviews.serviceAccount;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever happens to rights, namespaces, viewers and the API server, in whatever order answers
 * come: nobody sees what they might never see, or what was taken from them more than a minute ago.
 */
final class AccessHistoryTest {

  private static final int STEPS = 2000;
  private static final Duration LONGEST = Duration.ofSeconds(60);
  private static final Question QUEUES = Question.queues("muster-system");

  /** One history. */
  private static final class History {
    final Random random;
    final HandClock clock = new HandClock();
    final FakeReviews rights = new FakeReviews(clock);

    /** Until when each right has held; absent: never. */
    final Map<String, Map<Question, Instant>> lastHeld = new HashMap<>();

    final List<Identity> viewers =
        List.of(
            person("ann", "team"),
            person("ann"),
            person("bob", "team", "other"),
            serviceAccount("ns-1", "sa"),
            person("eve"));

    final List<String> holders = List.of("ann", "bob", "team", "system:serviceaccount:ns-1:sa");
    final List<Question> questions = new ArrayList<>();
    final List<String> namespaces = new ArrayList<>();
    final AccessBook book;
    Set<String> present = Set.of();
    boolean isSilent;
    int seen;

    /** One fewer than there are viewers: they push each other out. */
    final int most;

    History(long seed) {
      random = new Random(seed);
      most = viewers.size() - (seed % 4 == 0 ? 1 : 0);
      for (int number = 0; number < 12; number++) {
        namespaces.add("ns-" + number);
        questions.add(Question.gangsOf("ns-" + number));
        questions.add(Question.podsOf("ns-" + number));
      }
      questions.addAll(List.of(Question.ALL_GANGS, Question.ALL_PODS, Question.NODES, QUEUES));
      var reviews =
          new Reviews() {
            @Override
            public Answer authenticate(Token token) {
              return new Answer.Unknown();
            }

            @Override
            public Verdict may(Identity who, Question what) {
              var answer = isSilent ? Verdict.UNANSWERED : rights.may(who, what);
              // Time passes until it is here, and rights change meanwhile.
              if (random.nextInt(4) == 0) {
                pass(Duration.ofMillis(random.nextInt(3000)));
                change();
                look();
              }
              return answer;
            }
          };
      book =
          new AccessBook(
              reviews,
              new AccessSettings("muster-system", 20, 40, 0, Duration.ZERO, most),
              () -> present,
              clock);
    }

    /** Notes what holds, so that it is known until when it did. */
    void note() {
      for (var viewer : viewers) {
        for (var question : questions) {
          if (rights.isGranted(viewer, question)) {
            lastHeld
                .computeIfAbsent(key(viewer), _ -> new HashMap<>())
                .put(question, clock.instant());
          }
        }
      }
    }

    static String key(Identity viewer) {
      return viewer.user() + viewer.groups();
    }

    void pass(Duration time) {
      note();
      clock.pass(time);
      note();
    }

    void change() {
      note();
      var holder = holders.get(random.nextInt(holders.size()));
      var question = questions.get(random.nextInt(questions.size()));
      switch (random.nextInt(6)) {
        case 0, 1 -> rights.grant(holder, question);
        case 2 -> rights.member(holder, namespaces.get(random.nextInt(namespaces.size())));
        case 3 -> rights.take(holder, question);
        case 4 -> rights.take(holder, Question.ALL_GANGS, Question.ALL_PODS);
        default -> rights.take(holder, questions.toArray(Question[]::new));
      }
      note();
    }

    void look() {
      for (var viewer : viewers) {
        if (random.nextInt(3) > 0) {
          check(viewer, book.access(viewer));
        }
      }
    }

    void check(Identity viewer, Access access) {
      if (access.nodes()) {
        requireHeld(viewer, Question.NODES);
      }
      if (access.queues()) {
        requireHeld(viewer, QUEUES);
      }
      if (access.allNamespaces()) {
        requireHeld(viewer, Question.ALL_GANGS);
        requireHeld(viewer, Question.ALL_PODS);
      }
      for (var namespace : access.namespaces()) {
        requireHeld(viewer, Question.gangsOf(namespace));
        requireHeld(viewer, Question.podsOf(namespace));
      }
      seen += access.equals(Access.NOTHING) ? 0 : 1;
    }

    void requireHeld(Identity viewer, Question question) {
      var held = Optional.ofNullable(lastHeld.getOrDefault(key(viewer), Map.of()).get(question));
      assertThat(held).as("%s may %s", viewer, question).isPresent();
      assertThat(Duration.between(held.get(), clock.instant()))
          .as("%s may %s", viewer, question)
          .isLessThan(LONGEST);
    }

    void step() {
      switch (random.nextInt(13)) {
        case 0 -> change();
        case 1 -> {
          var some = new HashSet<String>();
          namespaces.stream().filter(_ -> random.nextInt(3) > 0).forEach(some::add);
          present = some;
        }
        case 2 -> {
          if (random.nextInt(6) == 0) {
            isSilent = random.nextInt(5) < 2;
          }
        }
        case 3 -> pass(Duration.ofSeconds(random.nextInt(8)));
        case 11 -> {
          if (random.nextInt(5) == 0) {
            // As long as a grant lives, or almost, or a little longer.
            change();
            pass(LONGEST.plusMillis(random.nextInt(6000) - 3000));
          }
        }
        case 4 ->
            book.prefer(
                viewers.get(random.nextInt(viewers.size())),
                namespaces.get(random.nextInt(namespaces.size())));
        default -> {
          for (int times = random.nextInt(20); times > 0 && book.askOne(); times--) {
            pass(Duration.ofMillis(random.nextInt(50)));
          }
        }
      }
      look();
      assertThat(book.size()).isLessThanOrEqualTo(most);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void nobodySeesWhatTheyMayNotOrMightNotAMinuteAgo(long seed) {
    var history = new History(seed);
    for (int step = 0; step < STEPS; step++) {
      history.step();
    }
    assertThat(history.seen).isGreaterThan(STEPS / 5);
  }
}
