package io.muster.deploy.board.access;

import static io.muster.deploy.board.access.FakeReviews.person;
import static io.muster.deploy.board.access.FakeReviews.serviceAccount;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.deploy.board.access.FakeReviews.Asked;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class AccessBookTest extends AccessFixture {

  private static final Question QUEUES = Question.queues("muster-system");

  /** An account as there are, with what it may do and what it sees. */
  record Account(String kind, Access sees, List<Question> may) {

    static Account of(String kind, Access sees, Question... may) {
      return new Account(kind, sees, List.of(may));
    }

    @Override
    public String toString() {
      return kind;
    }
  }

  static Stream<Account> accounts() {
    var gangs = Question.gangsOf("green");
    var pods = Question.podsOf("green");
    return Stream.of(
        Account.of(
            "administrator",
            Access.ALL,
            Question.ALL_GANGS,
            Question.ALL_PODS,
            Question.NODES,
            QUEUES),
        Account.of(
            "sees all but nodes",
            new Access(true, Set.of(), false, true),
            Question.ALL_GANGS,
            Question.ALL_PODS,
            QUEUES),
        Account.of(
            "gangs of all and pods of one", of("red"), Question.ALL_GANGS, Question.podsOf("red")),
        Account.of("pods of all and gangs of one", of("green"), Question.ALL_PODS, gangs),
        Account.of("gangs of all", of(), Question.ALL_GANGS),
        Account.of("pods of all", of(), Question.ALL_PODS),
        Account.of("member of one", of("green"), gangs, pods),
        Account.of(
            "member of two",
            of("green", "red"),
            gangs,
            pods,
            Question.gangsOf("red"),
            Question.podsOf("red")),
        Account.of("gangs but no pods", of(), gangs),
        Account.of("gangs here and pods there", of(), gangs, Question.podsOf("red")),
        Account.of(
            "member of an empty namespace",
            of(),
            Question.gangsOf("void"),
            Question.podsOf("void")),
        Account.of("nodes alone", new Access(false, Set.of(), true, false), Question.NODES),
        Account.of("queues alone", new Access(false, Set.of(), false, true), QUEUES),
        Account.of("nobody", of()));
  }

  @ParameterizedTest
  @MethodSource("accounts")
  void eachKindOfAccountSeesWhatKubectlWouldShowIt(Account account) {
    reviews.grant("ann", account.may().toArray(Question[]::new));
    assertThat(book.access(ANN)).isEqualTo(Access.NOTHING);
    ask();
    assertThat(book.access(ANN)).isEqualTo(account.sees());
    pass(Duration.ofMinutes(5), ANN);
    assertThat(book.access(ANN)).isEqualTo(account.sees());
  }

  @Test
  void rightsOfGroupsCountAndThoseOfOthersDoNot() {
    reviews.member("team", "red").member("bob", "blue");
    book.access(ANN);
    book.access(person("bob"));
    ask();
    assertThat(book.access(ANN)).isEqualTo(of("red"));
    assertThat(book.access(person("bob"))).isEqualTo(of("blue"));
    assertThat(book.access(person("ann", "other"))).isEqualTo(Access.NOTHING);
  }

  @Test
  void namespacesAreAskedAboutOnlyIfNotAllMayBeSeen() {
    reviews.grant("ann", Question.ALL_GANGS, Question.ALL_PODS);
    book.access(ANN);
    ask();
    assertThat(reviews.asked().stream().map(Asked::what))
        .containsExactlyInAnyOrder(Question.ALL_GANGS, Question.ALL_PODS, Question.NODES, QUEUES);
  }

  @Test
  void aServiceAccountsOwnNamespaceIsAskedAboutFirst() {
    present = names(5000);
    reviews.member("system:serviceaccount:ns-4711:runner", "ns-4711");
    var runner = serviceAccount("ns-4711", "runner");
    book.access(runner);
    for (int asked = 0; asked < 5; asked++) {
      book.askOne();
    }
    assertThat(book.access(runner)).isEqualTo(of("ns-4711"));
  }

  @Test
  void aNamespaceThatIsLookedAtIsAskedAboutBeforeOthers() {
    present = names(5000);
    reviews.member("ann", "ns-4711");
    book.access(ANN);
    pass(Duration.ofSeconds(1), ANN);
    assertThat(book.access(ANN)).isEqualTo(of());
    book.prefer(ANN, "ns-4711");
    book.prefer(ANN, "there-is-none");
    pass(Duration.ofMillis(200), ANN);
    assertThat(book.access(ANN)).isEqualTo(of("ns-4711"));
    assertThat(reviews.asked().stream().map(Asked::what))
        .doesNotContain(Question.gangsOf("there-is-none"));
  }

  @Test
  void whatIsTakenAwayIsNotSeenAMinuteLaterAndUsuallySooner() {
    reviews.member("ann", "red", "green").grant("ann", Question.NODES, QUEUES);
    book.access(ANN);
    ask();
    pass(Duration.ofSeconds(5), ANN);
    reviews.take("ann", Question.podsOf("red"), Question.NODES);
    pass(Duration.ofSeconds(30), ANN);
    assertThat(book.access(ANN)).isEqualTo(new Access(false, Set.of("green"), false, true));
  }

  @Test
  void whatIsGrantedAnewIsSeenSoonAfterTenSeconds() {
    book.access(ANN);
    ask();
    pass(Duration.ofSeconds(3), ANN);
    reviews.member("ann", "red");
    pass(Duration.ofSeconds(5), ANN);
    assertThat(book.access(ANN)).isEqualTo(of());
    pass(Duration.ofSeconds(4), ANN);
    assertThat(book.access(ANN)).isEqualTo(of("red"));
    reviews.grant("ann", Question.ALL_GANGS, Question.ALL_PODS, Question.NODES, QUEUES);
    pass(Duration.ofSeconds(11), ANN);
    assertThat(book.access(ANN)).isEqualTo(Access.ALL);
  }

  @Test
  void whoSawAllAndMayNotAnyMoreSeesTheirNamespaces() {
    reviews.grant("ann", Question.ALL_GANGS, Question.ALL_PODS).member("ann", "red");
    book.access(ANN);
    ask();
    assertThat(book.access(ANN).allNamespaces()).isTrue();
    reviews.take("ann", Question.ALL_PODS);
    pass(Duration.ofSeconds(31), ANN);
    assertThat(book.access(ANN)).isEqualTo(of("red"));
  }

  @Test
  void nothingIsSeenAMinuteAfterTheApiServerFellSilentAndAllOfItWhenItAnswersAgain() {
    reviews.member("ann", "red").grant("ann", Question.NODES, QUEUES);
    var whole = new Access(false, Set.of("red"), true, true);
    book.access(ANN);
    ask();
    pass(Duration.ofSeconds(20), ANN);
    reviews.silent(true);
    pass(Duration.ofSeconds(39), ANN);
    assertThat(book.access(ANN)).isEqualTo(whole);
    pass(Duration.ofSeconds(1), ANN);
    assertThat(book.access(ANN)).isEqualTo(Access.NOTHING);
    long asked = reviews.asked().size();
    pass(Duration.ofMinutes(10), ANN);
    assertThat(book.access(ANN)).isEqualTo(Access.NOTHING);
    assertThat(reviews.asked().size() - asked).isBetween(30L, 70L);
    reviews.silent(false);
    pass(Duration.ofSeconds(11), ANN);
    assertThat(book.access(ANN)).isEqualTo(whole);
  }

  @Test
  void aShortSilenceIsNotNoticed() {
    reviews.member("ann", "red", "green");
    book.access(ANN);
    ask();
    for (int times = 0; times < 10; times++) {
      reviews.silent(true);
      for (int second = 0; second < 15; second++) {
        pass(Duration.ofSeconds(1), ANN);
        assertThat(book.access(ANN)).isEqualTo(of("red", "green"));
      }
      reviews.silent(false);
      pass(Duration.ofSeconds(25), ANN);
    }
  }

  @Test
  void whatIsGrantedEndsInAMinuteEvenIfNothingCanBeAsked() {
    reviews.grant("ann", Question.ALL_GANGS, Question.ALL_PODS, Question.NODES, QUEUES);
    book.access(ANN);
    ask();
    clock.pass(Duration.ofSeconds(60).minusMillis(1));
    assertThat(book.access(ANN)).isEqualTo(Access.ALL);
    clock.pass(Duration.ofMillis(1));
    assertThat(book.access(ANN)).isEqualTo(Access.NOTHING);
  }

  @Test
  void aRightIsAsOldAsTheQuestionAndNotAsTheAnswer() {
    var slow =
        new AccessBook(
            new Reviews() {
              @Override
              public Answer authenticate(Token token) {
                return new Answer.Unknown();
              }

              @Override
              public Verdict may(Identity who, Question what) {
                clock.pass(Duration.ofSeconds(3));
                return what.equals(Question.NODES) ? Verdict.YES : Verdict.UNANSWERED;
              }
            },
            new AccessSettings("muster-system", PER_SECOND, AT_ONCE, 0, Duration.ZERO, 10),
            Set::of,
            clock);
    slow.access(ANN);
    var asked = clock.instant();
    for (int times = 0; times < 100 && !slow.access(ANN).nodes(); times++) {
      asked = clock.instant();
      slow.askOne();
      clock.pass(Duration.ofSeconds(slow.access(ANN).nodes() ? 0 : 5));
    }
    clock.pass(Duration.between(clock.instant(), asked.plusSeconds(60)).minusMillis(1));
    assertThat(slow.access(ANN).nodes()).isTrue();
    clock.pass(Duration.ofMillis(1));
    assertThat(slow.access(ANN).nodes()).isFalse();
  }

  @Test
  void aClockThatGoesBackProlongsNothing() {
    reviews.member("ann", "red");
    book.access(ANN);
    ask();
    assertThat(book.access(ANN)).isEqualTo(of("red"));
    clock.pass(Duration.ofHours(-1));
    assertThat(book.access(ANN)).isEqualTo(Access.NOTHING);
  }

  @Test
  void aNewNamespaceIsSeenWithinTwoSeconds() {
    reviews.member("ann", "red", "yellow");
    book.access(ANN);
    ask();
    pass(Duration.ofSeconds(3), ANN);
    present = Set.of("red", "yellow");
    pass(Duration.ofSeconds(2), ANN);
    assertThat(book.access(ANN)).isEqualTo(of("red", "yellow"));
  }

  @Test
  void theFirstLookWaitsForTheFirstAnswersAndNoLonger() throws InterruptedException {
    var waiting =
        new AccessBook(
            reviews,
            new AccessSettings("muster-system", 50, 200, 0, Duration.ofSeconds(20), 10),
            () -> present,
            clock);
    reviews.member("ann", "red");
    var asker =
        Thread.ofVirtual()
            .start(() -> {
              while (!Thread.currentThread().isInterrupted()) {
                waiting.askOne();
              }
            });
    long began = System.nanoTime();
    assertThat(waiting.access(ANN)).isEqualTo(of("red"));
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(15));
    asker.interrupt();
    asker.join();

    var impatient =
        new AccessBook(
            reviews,
            new AccessSettings("muster-system", 50, 200, 0, Duration.ofMillis(200), 10),
            () -> present,
            clock);
    began = System.nanoTime();
    assertThat(impatient.access(ANN)).isEqualTo(Access.NOTHING);
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isGreaterThan(Duration.ofMillis(190));
    for (int times = 0; times < 1000; times++) {
      impatient.access(ANN);
    }
    assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(10));
  }

  @Test
  void whatScopesATokenIsPartOfWhoAsks() {
    var scoped = new Identity("ann", "", Set.of(), Map.of("scopes", List.of("user:info")));
    assertThat(scoped).isNotEqualTo(person("ann"));
    assertThat(scoped.account()).isEqualTo("ann");
    assertThat(serviceAccount("a", "b").account()).isEqualTo(serviceAccount("a", "c").account());
    assertThat(serviceAccount("a", "b").home()).contains("a");
    assertThat(person("system:serviceaccount:").home()).isEmpty();
    assertThat(person("a\nb\u202ec").name()).isEqualTo("a?b?c");
    assertThat(person("a\u009b2J").name()).isEqualTo("a?2J");
  }

  private static Set<String> names(int count) {
    return IntStream.range(0, count)
        .mapToObj(number -> "ns-" + number)
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
