package io.muster.deploy.board.access;

import static io.muster.deploy.board.access.FakeReviews.person;
import static io.muster.deploy.board.access.FakeReviews.serviceAccount;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Many namespaces, many viewers, and a rate that holds. */
final class AccessLoadTest extends AccessFixture {

  @Test
  void fiveThousandNamespacesAreAskedAboutWithinTheRate() {
    present = names(5000);
    reviews.member("ann", "ns-17", "ns-4999");
    book.access(ANN);
    ask();
    assertThat(reviews.asked()).hasSize(AT_ONCE);
    pass(Duration.ofMinutes(10), ANN);
    assertRate();
    assertThat(book.access(ANN)).isEqualTo(of("ns-17", "ns-4999"));
    assertRefusalsRest();
    assertThat(book.answers()).isLessThan(AT_ONCE + PER_SECOND * 12);
  }

  private void assertRate() {
    var bySecond =
        reviews.asked().stream()
            .collect(
                Collectors.groupingBy(
                    each -> each.when().getEpochSecond(), TreeMap::new, Collectors.counting()));
    var first = bySecond.firstKey();
    long sum = 0;
    for (var second : bySecond.entrySet()) {
      sum += second.getValue();
      assertThat(sum).isLessThanOrEqualTo(AT_ONCE + PER_SECOND * (second.getKey() - first + 1));
      assertThat(second.getValue()).isLessThanOrEqualTo(AT_ONCE + PER_SECOND);
    }
  }

  private void assertRefusalsRest() {
    var refused = new TreeMap<String, Instant>();
    for (var each : reviews.asked()) {
      var key = each.who().user() + each.what();
      var before = refused.get(key);
      assertThat(before == null || !each.when().isBefore(before.plusSeconds(10))).as(key).isTrue();
      if (each.answer() == Reviews.Verdict.NO) {
        refused.put(key, each.when());
      }
    }
  }

  @Test
  void whoMayListEachOfAThousandNamespacesKeepsThem() {
    present = names(1000);
    reviews.member("ann", present.toArray(String[]::new));
    book.access(ANN);
    pass(Duration.ofMinutes(2), ANN);
    for (int second = 0; second < 180; second++) {
      pass(Duration.ofSeconds(1), ANN);
      assertThat(book.access(ANN).namespaces()).hasSize(1000);
    }
    assertRate();
  }

  /** Each time that it is otherwise all is sent anew, and what is there is worked out for it. */
  @Test
  void whatSomebodySeesWithAThousandNamespacesIsSeldomOtherwise() {
    present = names(1000);
    reviews.member("ann", present.toArray(String[]::new));
    book.access(ANN);
    ask();
    assertThat(changesWithin(Duration.ofMinutes(1))).isBetween(4, 50);
    pass(Duration.ofMinutes(1), ANN);
    assertThat(book.access(ANN).namespaces()).hasSize(1000);

    present.forEach(name -> reviews.take("ann", Question.gangsOf(name)));
    assertThat(changesWithin(Duration.ofMinutes(1))).isBetween(4, 50);
    assertThat(book.access(ANN)).isEqualTo(of());

    reviews.member("ann", present.toArray(String[]::new));
    pass(Duration.ofMinutes(5), ANN);
    assertThat(book.access(ANN).namespaces()).hasSize(1000);
    reviews.silent(true);
    assertThat(changesWithin(Duration.ofMinutes(1))).isBetween(4, 50);
    assertThat(book.access(ANN)).isEqualTo(of());
  }

  /** How often what Ann sees is otherwise than before. */
  private int changesWithin(Duration time) {
    int changes = 0;
    var last = book.access(ANN);
    for (long left = time.toMillis(); left > 0; left -= 100) {
      pass(Duration.ofMillis(100), ANN);
      var now = book.access(ANN);
      changes += now.equals(last) ? 0 : 1;
      last = now;
    }
    return changes;
  }

  @Test
  void whoAsksForMuchTakesNothingFromWhoAsksForLittle() {
    present = new TreeSet<>(names(5000));
    present.add("mine");
    reviews.member("heavy", names(5000).toArray(String[]::new));
    reviews.member("ann", "mine").grant("ann", Question.NODES);
    var heavy = person("heavy");
    book.access(heavy);
    pass(Duration.ofMinutes(3), heavy);

    book.access(ANN);
    pass(Duration.ofSeconds(1), heavy, ANN);
    assertThat(book.access(ANN).nodes()).isTrue();
    book.prefer(ANN, "mine");
    pass(Duration.ofSeconds(1), heavy, ANN);
    for (int second = 0; second < 300; second++) {
      assertThat(book.access(ANN).sees("mine")).isTrue();
      pass(Duration.ofSeconds(1), heavy, ANN);
    }
    assertThat(book.access(heavy).namespaces()).hasSizeGreaterThan(700);
    assertRate();
    assertThat(book.answers()).isLessThan(20_000);
  }

  @Test
  void serviceAccountsOfOneNamespaceShareOneTurn() {
    present = names(5000);
    var crowd =
        IntStream.range(0, 500)
            .mapToObj(number -> serviceAccount("crowd", "sa-" + number))
            .toArray(Identity[]::new);
    reviews.member("ann", "ns-1", "ns-2");
    pass(Duration.ofSeconds(5), crowd);
    book.access(ANN);
    pass(Duration.ofSeconds(2), crowd);
    assertThat(reviews.asked().stream().filter(each -> each.who().equals(ANN)).count())
        .isGreaterThanOrEqualTo(30);
  }

  @Test
  void anIdentityThatNobodySeesIsForgottenAndAThousandAreKeptAtMost() {
    reviews.member("ann", "red");
    book.access(ANN);
    ask();
    var many = book(1000);
    for (int number = 0; number < 5000; number++) {
      many.access(serviceAccount("crowd", "sa-" + number));
    }
    many.access(ANN);
    many.access(person("bob"));
    many.access(serviceAccount("crowd", "another"));
    assertThat(many.size()).isEqualTo(1000);
    int before = reviews.asked().size();
    many.access(ANN);
    many.askOne();
    assertThat(reviews.asked()).hasSize(before + 1);
    clock.pass(Duration.ofSeconds(61));
    while (many.askOne()) {
      // What is left.
    }
    assertThat(many.size()).isZero();
  }

  @Test
  void nobodyIsAskedAboutWhoDoesNotLook() {
    reviews.member("ann", "red");
    book.access(ANN);
    pass(Duration.ofMinutes(2));
    int asked = reviews.asked().size();
    pass(Duration.ofMinutes(20));
    assertThat(reviews.asked()).hasSize(asked);
    assertThat(book.size()).isZero();
  }

  @Test
  void namespacesThatComeAndGoMakeNoMoreWork() {
    book.access(ANN);
    ask();
    for (int times = 0; times < 100; times++) {
      present = times % 2 == 0 ? Set.of("blue") : Set.of("blue", "green", "red");
      pass(Duration.ofSeconds(2), ANN);
    }
    // Of six questions each is asked every ten seconds at most.
    assertThat(reviews.asked()).hasSizeLessThan(6 * 22);
    assertRefusalsRest();
  }

  private static Set<String> names(int count) {
    return IntStream.range(0, count)
        .mapToObj(number -> "ns-" + number)
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
