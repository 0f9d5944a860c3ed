package io.muster.extender.core.gang;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.gang.Markings.NativeGroup;
import io.muster.extender.core.gang.TermsObject.Kind;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.core.gang.dialect.ObjectReading;
import io.muster.extender.core.gang.dialect.ObjectReading.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** How each ecosystem marks the members of a gang, and what Muster makes of it. */
final class DialectVectorsTest {

  private static final String KOORDINATOR = "gang.scheduling.koordinator.sh/";
  private static final String PLUGINS = "scheduling.x-k8s.io/pod-group";
  private static final String VOLCANO = "scheduling.k8s.io/group-name";
  private static final String KUEUE = "kueue.x-k8s.io/pod-group-name";
  private static final String KUEUE_TOTAL = "kueue.x-k8s.io/pod-group-total-count";

  private final DialectDetector recogniser = new DialectDetector();

  /** Whose gang it is, and either its minimum or the object in which that stands. */
  record Read(Dialect dialect, String gang, String terms, String role, int warnings) {}

  static Stream<Arguments> vectors() {
    return Stream.of(
        row(
            "9 no PodGroup yet",
            Map.of("pod-group.scheduling.sigs.k8s.io", "z"),
            Map.of(),
            new Read(Dialect.KOORDINATOR, "ml/z", "in KOORDINATOR_POD_GROUP z", "", 0)),
        row(
            "10 label",
            Map.of(PLUGINS, "j"),
            Map.of(),
            new Read(Dialect.SCHEDULER_PLUGINS, "ml/j", "in PLUGINS_POD_GROUP j", "", 0)),
        row(
            "11 annotation",
            Map.of("volcano.sh/task-spec", "worker"),
            Map.of(VOLCANO, "v"),
            new Read(Dialect.VOLCANO, "ml/v", "in VOLCANO_POD_GROUP v", "worker", 0)),
        row(
            "11 alias, no task",
            Map.of(),
            Map.of("scheduling.volcano.sh/group-name", "v"),
            new Read(Dialect.VOLCANO, "ml/v", "in VOLCANO_POD_GROUP v", "default", 0)),
        row(
            "12",
            Map.of(KUEUE, "q"),
            Map.of(KUEUE_TOTAL, "2"),
            new Read(Dialect.KUEUE, "ml/q", "2 of 2 WAITING_AND_RUNNING", "", 0)),
        row(
            "12 without its count",
            Map.of(KUEUE, "q"),
            Map.of(),
            new Read(Dialect.KUEUE, "ml/q", "unusable " + KUEUE_TOTAL, "", 0)),
        row(
            "13",
            Map.of(KUEUE, "q1"),
            Map.of(KUEUE, "q2", KUEUE_TOTAL, "2"),
            new Read(Dialect.KUEUE, "ml/q2", "2 of 2 WAITING_AND_RUNNING", "", 0)),
        row(
            "14",
            Map.of(KUEUE, "q"),
            Map.of(KUEUE_TOTAL, "2", KOORDINATOR + "name", "a", KOORDINATOR + "min-available", "4"),
            new Read(Dialect.KOORDINATOR, "ml/a", "4 of 4 ONCE_SATISFIED", "", 0)),
        row(
            "owner",
            Map.of(),
            Map.of(GangKeys.OF, "PyTorchJob/train"),
            new Read(Dialect.OWNER, "ml/pytorchjob-train", "in PYTORCH_JOB train", "", 0)),
        row(
            "owner of no known kind",
            Map.of(),
            Map.of(GangKeys.OF, "ReplicaSet/train"),
            new Read(Dialect.OWNER, "ml/ReplicaSet/train", "unusable muster.io/gang-of", "", 0)),
        row(
            "two that disagree",
            Map.of(PLUGINS, "j"),
            Map.of(KOORDINATOR + "name", "a", KOORDINATOR + "min-available", "4"),
            new Read(Dialect.SCHEDULER_PLUGINS, "ml/j", "in PLUGINS_POD_GROUP j", "", 1)),
        row(
            "two of one name, one minimum unknown",
            Map.of(PLUGINS, "a"),
            Map.of(KOORDINATOR + "name", "a", KOORDINATOR + "min-available", "4"),
            new Read(Dialect.SCHEDULER_PLUGINS, "ml/a", "in PLUGINS_POD_GROUP a", "", 0)));
  }

  private static Arguments row(
      String name, Map<String, String> labels, Map<String, String> annotations, Read read) {
    return Arguments.of(name, labels, annotations, read);
  }

  @ParameterizedTest(name = "A11-{0}")
  @MethodSource("vectors")
  void readsTheMarkings(
      String row, Map<String, String> labels, Map<String, String> annotations, Read expected) {
    var membership = recogniser.recognise(new Markings("ml", labels, annotations)).orElseThrow();

    assertThat(
            new Read(
                membership.gang().dialect(),
                membership.gang().toString(),
                shown(membership.terms()),
                membership.role(),
                membership.warnings().size()))
        .as(row)
        .isEqualTo(expected);
  }

  static Stream<Arguments> elsewhere() {
    var plain = new Markings("ml", Map.of(), Map.of("pod-group-name", "pg-x-uid"));
    var group = new TermsObject(Kind.NATIVE_POD_GROUP, "ml", "g");
    var workload = new TermsObject(Kind.NATIVE_WORKLOAD, "ml", "w/p");
    return Stream.of(
        Arguments.of(
            "16", plain.in(new NativeGroup("g", group)), "native ml/g in NATIVE_POD_GROUP g"),
        Arguments.of(
            "17",
            plain.in(new NativeGroup("w/p/r", workload)),
            "native ml/w/p/r in NATIVE_WORKLOAD w/p"),
        Arguments.of("18", plain, "kai ml/pg-x-uid in KAI_POD_GROUP pg-x-uid"));
  }

  /** What others start is told of; a pod that is Muster's to start is in no such gang. */
  @ParameterizedTest(name = "A11-{0}")
  @MethodSource("elsewhere")
  void observesTheGangsOfOthers(String row, Markings markings, String expected) {
    var observed = recogniser.observe(markings).orElseThrow();

    assertThat(
            "%s %s %s"
                .formatted(
                    observed.gang().dialect().label(), observed.gang(), shown(observed.terms())))
        .as(row)
        .isEqualTo(expected);
    assertThat(recogniser.recognise(markings)).isEmpty();
  }

  @ParameterizedTest
  @MethodSource
  void groupsOfKueueWhosePodsComeOneByOneAreNoGangs(String key) {
    var annotations = Map.of(KUEUE, "q", KUEUE_TOTAL, "2", "kueue.x-k8s.io/" + key, "true");

    assertThat(recogniser.recognise(new Markings("ml", Map.of(), annotations))).isEmpty();
  }

  static List<String> groupsOfKueueWhosePodsComeOneByOneAreNoGangs() {
    return List.of("pod-group-fast-admission", "pod-group-serving");
  }

  static Stream<Arguments> objects() {
    var plugins = Kind.PLUGINS_POD_GROUP;
    var koordinator = Kind.KOORDINATOR_POD_GROUP;
    var volcano = Kind.VOLCANO_POD_GROUP;
    return Stream.of(
        object("9 CR added", koordinator, said("3"), "3 of 3 ONCE_SATISFIED, 600 s"),
        object(
            "9 CR with annotations",
            koordinator,
            said("3", "120", Map.of(), "total-number", "5", "match-policy", "only-waiting"),
            "3 of 5 ONLY_WAITING, 120 s"),
        object(
            "9 CR that names other gangs",
            koordinator,
            said("3", "", Map.of(), "groups", "[\"ml/x\",\"ml/y\"]"),
            "unusable gang.scheduling.koordinator.sh/groups"),
        object("10", plugins, said("4", "0", Map.of()), "4 of 4 WAITING_AND_RUNNING, 60 s"),
        object(
            "10 its own time",
            plugins,
            said("4", "300", Map.of()),
            "4 of 4 WAITING_AND_RUNNING, 300 s"),
        object("10 no minimum", plugins, said(""), "unusable spec.minMember of PodGroup \"x\""),
        object("10 minimum 0", plugins, said("0"), "unusable spec.minMember of PodGroup \"x\""),
        object(
            "11",
            volcano,
            said("3", "", Map.of("ps", 1, "worker", 4)),
            "3 of 3 WAITING_AND_RUNNING, 600 s"),
        object(
            "11 minima that fit",
            volcano,
            said("5", "", Map.of("ps", 1, "worker", 4)),
            "5 of 5 WAITING_AND_RUNNING, 600 s, {ps=1, worker=4}"),
        object("11 minimum 0", volcano, said("0"), "1 of 1 WAITING_AND_RUNNING, 600 s"));
  }

  private static Arguments object(String name, Kind kind, Statement said, String expected) {
    return Arguments.of(name, kind, said, expected);
  }

  @ParameterizedTest(name = "A11-{0}")
  @MethodSource("objects")
  void readsTheObject(String row, Kind kind, Statement said, String expected) {
    var terms = ObjectReading.read(new TermsObject(kind, "ml", "x"), said);

    assertThat(
            switch (terms) {
              case Terms.Usable usable ->
                  "%s, %d s%s"
                      .formatted(
                          shown(usable),
                          usable.timeout().toSeconds(),
                          usable.roles().isEmpty() ? "" : ", " + usable.roles());
              case Terms other -> shown(other);
            })
        .as(row)
        .isEqualTo(expected);
  }

  @Test
  void saysWhatIsWrongWithTheObject() {
    var object = new TermsObject(Kind.PLUGINS_POD_GROUP, "ml", "x");

    assertThat(ObjectReading.read(object, said("0")))
        .isInstanceOfSatisfying(
            Terms.Unusable.class,
            terms ->
                assertThat(terms.problem())
                    .isEqualTo(
                        "gang \"ml/x\": spec.minMember of PodGroup \"x\" is \"0\"; it must be an"
                            + " integer from 1 to 5000"));
    assertThat(object.missing())
        .isEqualTo(
            "PodGroup \"x\" (scheduling.x-k8s.io) does not exist in namespace \"ml\"; create it");
  }

  @Test
  void whatTheMemberSaysBesideHoldsBeforeTheObject() {
    var member =
        recogniser
            .recognise(
                new Markings(
                    "ml",
                    Map.of(PLUGINS, "j"),
                    Map.of(
                        GangKeys.ON_LOSS, "restart",
                        GangKeys.ROLES, "master=1",
                        GangKeys.TOPOLOGY_REQUIRED, "rack")))
            .orElseThrow();
    var inObject = (Terms.InObject) member.terms();
    var ofObject = ObjectReading.read(inObject.object(), said("4"));

    assertThat(inObject.completedBy(ofObject, member.gang()))
        .isInstanceOfSatisfying(
            Terms.Usable.class,
            terms -> {
              assertThat(terms.minAvailable()).isEqualTo(4);
              assertThat(terms.timeout()).isEqualTo(Duration.ofSeconds(60));
              assertThat(terms.onLoss()).isEqualTo(Terms.OnLoss.RESTART);
              assertThat(terms.roles()).isEqualTo(Map.of("master", 1));
              assertThat(terms.topology().required()).contains("rack");
            });
    assertThat(
            inObject.completedBy(
                ObjectReading.read(new TermsObject(Kind.PLUGINS_POD_GROUP, "ml", "j"), said("")),
                member.gang()))
        .isInstanceOf(Terms.Unusable.class);
  }

  private static Topology closeness(Kind kind, String... fields) {
    var map = new HashMap<String, String>();
    for (int i = 0; i < fields.length; i += 2) {
      map.put(fields[i], fields[i + 1]);
    }
    var said =
        new Statement("spec.minMember", Optional.of("4"), Optional.empty(), Map.of(), map, map);
    return ((Terms.Usable) ObjectReading.read(new TermsObject(kind, "ml", "x"), said)).topology();
  }

  @Test
  void objectsSayHowCloseMembersAreToBe() {
    assertThat(closeness(Kind.VOLCANO_POD_GROUP, "mode", "hard", "highestTierAllowed", "2"))
        .isEqualTo(new Topology(List.of(Topology.tier(1)), Optional.of(Topology.tier(2))));
    assertThat(closeness(Kind.VOLCANO_POD_GROUP, "mode", "soft", "highestTierName", "rack"))
        .isEqualTo(Topology.preferring("rack"));
    assertThat(closeness(Kind.VOLCANO_POD_GROUP)).isEqualTo(Topology.ANYWHERE);
    assertThat(
            closeness(
                Kind.KOORDINATOR_POD_GROUP,
                KOORDINATOR + "network-topology-spec",
                "{\"gatherStrategy\":[{\"layer\":\"rack\",\"strategy\":\"MustGather\"}]}"))
        .isEqualTo(Topology.requiring("rack"));
    assertThat(
            closeness(
                Kind.KAI_POD_GROUP,
                "requiredTopologyLevel",
                "example.com/block",
                "preferredTopologyLevel",
                "example.com/rack"))
        .isEqualTo(new Topology(List.of("example.com/rack"), Optional.of("example.com/block")));
    assertThat(closeness(Kind.NATIVE_POD_GROUP, "key", "example.com/rack"))
        .isEqualTo(Topology.requiring("example.com/rack"));
  }

  @Test
  void aTierThatIsNoneIsSaidWithItsFieldAndObject() {
    var said =
        new Statement(
            "spec.minMember",
            Optional.of("4"),
            Optional.empty(),
            Map.of(),
            Map.of(),
            Map.of("highestTierAllowed", "0"));
    assertThat(ObjectReading.read(new TermsObject(Kind.VOLCANO_POD_GROUP, "ml", "x"), said))
        .isInstanceOfSatisfying(
            Terms.Unusable.class,
            terms ->
                assertThat(terms.problem())
                    .isEqualTo(
                        "gang \"ml/x\": spec.networkTopology.highestTierAllowed of PodGroup \"x\""
                            + " is \"0\"; it must be the number of a level, 1 for the innermost,"
                            + " up to 8"));
  }

  private static Statement said(String min) {
    return said(min, "", Map.of());
  }

  private static Statement said(
      String min, String timeout, Map<String, Integer> roles, String... annotations) {
    var map = new HashMap<String, String>();
    for (int i = 0; i < annotations.length; i += 2) {
      map.put(KOORDINATOR + annotations[i], annotations[i + 1]);
    }
    return new Statement("spec.minMember", filled(min), filled(timeout), roles, map, Map.of());
  }

  private static Optional<String> filled(String text) {
    return Optional.of(text).filter(it -> !it.isEmpty());
  }

  private static String shown(Terms terms) {
    return switch (terms) {
      case Terms.Usable usable ->
          "%d of %d %s"
              .formatted(usable.minAvailable(), usable.totalMembers(), usable.matchPolicy());
      case Terms.InObject(var object, var _) -> "in %s %s".formatted(object.kind(), object.name());
      case Terms.Unusable unusable -> "unusable " + unusable.field();
      case Terms.Unplaceable unplaceable -> "unplaceable " + unplaceable.field();
    };
  }
}
