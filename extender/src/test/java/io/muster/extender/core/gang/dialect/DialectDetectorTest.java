package io.muster.extender.core.gang.dialect;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.Topology;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class DialectDetectorTest {

  private static final String KOORDINATOR = "gang.scheduling.koordinator.sh/";
  private static final String POD_GROUP = "pod-group.scheduling.sigs.k8s.io";
  private static final Map<String, String> PLAIN =
      Map.of(KOORDINATOR + "name", "a", KOORDINATOR + "min-available", "4");

  private final DialectDetector recogniser = new DialectDetector();

  /** What a row of the vectors expects of usable terms. */
  record Expected(String gang, int min, int total, Duration timeout, String groups, int warnings) {
    static final Expected PLAIN = new Expected("ml/a", 4, 4, Duration.ofMinutes(10), "ml/a", 0);

    Expected timeout(Duration other) {
      return new Expected(gang, min, total, other, groups, warnings);
    }

    Expected groups(String other) {
      return new Expected(gang, min, total, timeout, other, warnings);
    }

    Expected warned() {
      return new Expected(gang, min, total, timeout, groups, 1);
    }
  }

  static Stream<Arguments> usableVectors() {
    var plain = Expected.PLAIN;
    return Stream.of(
        Arguments.of("1", PLAIN, plain),
        Arguments.of("2 zero", with("waiting-time", "0"), plain.warned()),
        Arguments.of("2 negative", with("waiting-time", "-5s"), plain.warned()),
        Arguments.of("2 word", with("waiting-time", "abc"), plain.warned()),
        Arguments.of("2 Go", with("waiting-time", "1h30m"), plain.timeout(Duration.ofMinutes(90))),
        Arguments.of("3", with("total-number", "2"), plain.warned()),
        Arguments.of("4", with("mode", "strict"), plain.warned()),
        Arguments.of("5", with("groups", "[\"ml/b\",\"ml/a\"]"), plain.groups("ml/a,ml/b")),
        Arguments.of("6", with("groups", "ml/b"), plain.warned()),
        Arguments.of("19 sign", with("min-available", "+4"), plain));
  }

  @ParameterizedTest(name = "A11-{0}")
  @MethodSource("usableVectors")
  void readsKoordinatorAnnotations(String row, Map<String, String> annotations, Expected expected) {
    var membership = recognised(Map.of(), annotations);
    var terms = (Terms.Usable) membership.terms();

    assertThat(membership.gang().dialect()).isEqualTo(Dialect.KOORDINATOR);
    assertThat(terms.mode()).isEqualTo(Terms.Mode.STRICT);
    assertThat(terms.matchPolicy()).isEqualTo(Terms.MatchPolicy.ONCE_SATISFIED);
    assertThat(membership.index()).isEqualTo(-1);
    assertThat(membership.warnings()).allMatch(warning -> warning.length() <= 160);
    assertThat(
            new Expected(
                membership.gang().toString(),
                terms.minAvailable(),
                terms.totalMembers(),
                terms.timeout(),
                String.join(",", terms.groups()),
                membership.warnings().size()))
        .as(row)
        .isEqualTo(expected);
  }

  @Test
  void a11Row7ALoneNameIsAGangThatCannotStart() {
    var membership = recognised(Map.of(), Map.of(KOORDINATOR + "name", "a"));

    assertThat(membership.gang()).hasToString("ml/a");
    assertThat(membership.terms())
        .isEqualTo(
            new Terms.Unusable(
                KOORDINATOR + "min-available",
                "",
                "gang \"ml/a\": no minimum size; set gang.scheduling.koordinator.sh/min-available"
                    + " to the fewest members that may start"));
  }

  @Test
  void a11Row8LabelsWinOverAnnotations() {
    var membership =
        recognised(
            Map.of(POD_GROUP + "/name", "x", POD_GROUP + "/min-available", "3"),
            Map.of(KOORDINATOR + "name", "y", KOORDINATOR + "min-available", "5"));

    assertThat(membership.gang()).hasToString("ml/x");
    assertThat(usable(membership).minAvailable()).isEqualTo(3);
  }

  @ParameterizedTest(name = "A11-19 \"{0}\"")
  @ValueSource(
      strings = {"4 ", " 4", "4.0", "2147483648", "0x4", "", "٤", "four", "0", "-1", "5001"})
  void refusesAMinimumThatIsNoIntegerInRange(String min) {
    var terms = recognised(Map.of(), with("min-available", min)).terms();

    assertThat(terms)
        .isEqualTo(
            new Terms.Unusable(
                KOORDINATOR + "min-available",
                min,
                "gang \"ml/a\": gang.scheduling.koordinator.sh/min-available is \""
                    + min
                    + "\"; it must be an integer from 1 to 5000"));
  }

  @Test
  void aPodWithoutMarkingsHasNoGang() {
    assertThat(recogniser.recognise(new Markings("ml", Map.of("app", "x"), Map.of()))).isEmpty();
    assertThat(recogniser.recognise(new Markings("ml", Map.of(), Map.of(GangKeys.NAME, ""))))
        .isEmpty();
  }

  @Test
  void readsEveryOwnAnnotation() {
    var membership =
        recognised(
            Map.of(),
            Map.of(
                GangKeys.NAME, "a",
                GangKeys.MIN, "2",
                GangKeys.TOTAL, "3",
                GangKeys.TIMEOUT, "1.5h",
                GangKeys.MODE, "NonStrict",
                GangKeys.MATCH_POLICY, "only-waiting",
                GangKeys.GROUPS, "[\"ml/a\", \"ml\\/b\"]",
                GangKeys.INDEX, "7"));

    assertThat(membership.gang()).isEqualTo(new GangId(Dialect.MUSTER, "ml", "a"));
    assertThat(membership.index()).isEqualTo(7);
    assertThat(membership.warnings()).isEmpty();
    assertThat(membership.terms())
        .isEqualTo(
            new Terms.Usable(
                2,
                3,
                Terms.Mode.NON_STRICT,
                Terms.MatchPolicy.ONLY_WAITING,
                Duration.ofMinutes(90),
                new TreeSet<>(List.of("ml/a", "ml/b")),
                Collections.emptySortedMap(),
                Terms.OnLoss.REPLACE,
                Topology.ANYWHERE));
  }

  @Test
  void theOwnDialectWinsAndSaysThatTheOtherDisagrees() {
    var annotations = new HashMap<>(PLAIN);
    annotations.put(GangKeys.NAME, "b");
    annotations.put(GangKeys.MIN, "2");

    var membership = recognised(Map.of(), annotations);

    assertThat(membership.gang()).isEqualTo(new GangId(Dialect.MUSTER, "ml", "b"));
    assertThat(membership.warnings())
        .containsExactly("koordinator names gang a instead; muster gang b is used");
  }

  @Test
  void twoDialectsThatAgreeAreNoWarning() {
    var annotations = new HashMap<>(PLAIN);
    annotations.put(GangKeys.NAME, "a");
    annotations.put(GangKeys.MIN, "4");

    assertThat(recognised(Map.of(), annotations).warnings()).isEmpty();
  }

  @Test
  void theStampedDialectStaysWhateverIsWrittenBesideIt() {
    var annotations = new HashMap<>(PLAIN);
    annotations.put(GangKeys.DIALECT, "koordinator");
    annotations.put(GangKeys.NAME, "b");
    annotations.put(GangKeys.MIN, "4");

    assertThat(recognised(Map.of(), annotations).gang())
        .isEqualTo(new GangId(Dialect.KOORDINATOR, "ml", "a"));
  }

  @Test
  void aStampWithoutItsKeysHidesNoGang() {
    var annotations =
        Map.of(GangKeys.DIALECT, "koordinator", GangKeys.NAME, "b", GangKeys.MIN, "4");

    assertThat(recognised(Map.of(), annotations).gang())
        .isEqualTo(new GangId(Dialect.MUSTER, "ml", "b"));
  }

  @Test
  void theAliasOfMatchPolicyCountsWhereTheKeyIsMissing() {
    var annotations = new HashMap<>(PLAIN);
    annotations.put(POD_GROUP + "/match-policy", "waiting-and-running");

    assertThat(usable(recognised(Map.of(), annotations)).matchPolicy())
        .isEqualTo(Terms.MatchPolicy.WAITING_AND_RUNNING);
  }

  @Test
  void takesTheIndexFromTheDialectThenFromTheJob() {
    var job = Map.of("batch.kubernetes.io/job-completion-index", "5");
    assertThat(recognised(job, PLAIN).index()).isEqualTo(5);
    assertThat(recognised(job, with("network-topology-index", "2")).index()).isEqualTo(2);
    var bad = recognised(job, with("network-topology-index", "-2"));
    assertThat(bad.index()).isEqualTo(5);
    assertThat(bad.warnings()).hasSize(1);
  }

  @Test
  void refusesAGroupListThatLeavesItsOwnGangOut() {
    assertThat(recognised(Map.of(), with("groups", "[\"ml/b\"]")).terms())
        .isInstanceOfSatisfying(
            Terms.Unusable.class,
            terms ->
                assertThat(terms.problem())
                    .isEqualTo(
                        "gang \"ml/a\": gang.scheduling.koordinator.sh/groups does not name the"
                            + " gang itself; add \"ml/a\""));
  }

  @Test
  void refusesGroupListsWithoutMeasure() {
    var many = new StringBuilder("[\"ml/a\"");
    for (int i = 0; i < 32; i++) {
      many.append(",\"ml/g").append(i).append('"');
    }
    assertThat(recognised(Map.of(), with("groups", many.append(']').toString())).terms())
        .isInstanceOf(Terms.Unusable.class);
    assertThat(recognised(Map.of(), with("groups", "[".repeat(70_000))).terms())
        .isInstanceOf(Terms.Unusable.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[\"ml/a\",]", "[\"ml/a\"] x", "[1]", "[[\"ml/a\"]]", "\"ml/a\"", "[\"ml/a", "[\"a\"]",
        "[\"ml/a\\x\"]", "[\"ml/a\\u00\"]", "[\"ml/a\\", "{}", "[\"ml/a\"", "", "[\"m\tl/a\"]"
      })
  void aGroupListThatIsNoJsonArrayOfNamesIsAWarning(String groups) {
    var membership = recognised(Map.of(), with("groups", groups));

    assertThat(usable(membership).groups()).containsExactly("ml/a");
    assertThat(membership.warnings()).hasSize(1);
  }

  @Test
  void refusesANameThatIsNotOneWord() {
    var annotations = Map.of(GangKeys.NAME, "a b\n" + "x".repeat(500), GangKeys.MIN, "1");

    assertThat(recognised(Map.of(), annotations).terms())
        .isInstanceOfSatisfying(
            Terms.Unusable.class,
            terms -> assertThat(terms.problem()).startsWith("gang \"a b?xxx").doesNotContain("\n"));
  }

  private Membership recognised(Map<String, String> labels, Map<String, String> annotations) {
    return recogniser.recognise(new Markings("ml", labels, annotations)).orElseThrow();
  }

  private static Terms.Usable usable(Membership membership) {
    return (Terms.Usable) membership.terms();
  }

  private static Map<String, String> with(String key, String value) {
    var annotations = new HashMap<>(PLAIN);
    annotations.put(KOORDINATOR + key, value);
    return annotations;
  }
}
