package io.muster.extender.core.decision;

import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.gang.dialect.DialectKeys;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Markings as a {@link HostileTenant} writes them: every key that Muster reads, with any value. */
final class HostileMarkings {

  private static final List<String> VALUES =
      List.of(
          """

          0 1 2 3 8 5000 -1 9223372036854775807 true false x Strict NonStrict
          replace shrink restart owner only-waiting waiting-and-running once-satisfied
          launcher=1,worker=4 worker=5000 rack kubernetes.io/hostname 1ns 90m 24h 9999999h
          speech research default none g0 g1 Job/g0 {} []
          ["team-b/g0","team-b/g1"] ["team-b/g0","team-a/a-0"]
          """
              .split("\\s+"));

  private static final List<String> DIALECTS =
      List.of(
          "muster.io/gang-name",
          "gang.scheduling.koordinator.sh/name",
          "pod-group.scheduling.sigs.k8s.io",
          "pod-group.scheduling.sigs.k8s.io/name",
          "kueue.x-k8s.io/pod-group-name",
          "pod-group-name",
          "scheduling.k8s.io/group-name",
          "scheduling.volcano.sh/group-name",
          "scheduling.x-k8s.io/pod-group");

  private static final Map<String, String> SIZES =
      Map.of(
          "muster.io/gang-name", "muster.io/gang-min",
          "gang.scheduling.koordinator.sh/name", "gang.scheduling.koordinator.sh/min-available",
          "pod-group.scheduling.sigs.k8s.io/name", "pod-group.scheduling.sigs.k8s.io/min-available",
          "kueue.x-k8s.io/pod-group-name", "kueue.x-k8s.io/pod-group-total-count");

  /** Keys that stand in labels; all others are tried in both places. */
  private static final Set<String> LABELS = union(DialectKeys.LABELS, DialectKeys.LABELS_OF_TERMS);

  private static final List<String> KEYS = keys();

  private final Random random;

  HostileMarkings(Random random) {
    this.random = random;
  }

  private <T> T any(List<T> of) {
    return of.get(random.nextInt(of.size()));
  }

  private boolean oneIn(int many) {
    return random.nextInt(many) == 0;
  }

  private static Set<String> union(Set<String> some, Set<String> others) {
    var all = new TreeSet<>(some);
    all.addAll(others);
    return all;
  }

  /** Every key of Muster's own, and of all other ecosystems. */
  private static List<String> keys() {
    var own =
        Arrays.stream(GangKeys.class.getFields())
            .filter(field -> field.getType() == String.class)
            .filter(field -> Modifier.isStatic(field.getModifiers()))
            .map(HostileMarkings::constant)
            .filter(key -> !key.equals(GangKeys.PREFIX));
    var others =
        Stream.of(
                DialectKeys.ANNOTATIONS,
                DialectKeys.ANNOTATIONS_OF_TERMS,
                DialectKeys.LABELS,
                DialectKeys.LABELS_OF_TERMS,
                Set.copyOf(SIZES.values()),
                Set.of(
                    "gang.scheduling.koordinator.sh/mode",
                    "gang.scheduling.koordinator.sh/match-policy",
                    "gang.scheduling.koordinator.sh/groups",
                    "gang.scheduling.koordinator.sh/total-number",
                    "gang.scheduling.koordinator.sh/waiting-time",
                    "kueue.x-k8s.io/pod-group-pod-index",
                    "batch.kubernetes.io/job-completion-index"))
            .flatMap(Set::stream);
    return Stream.concat(own, others).distinct().sorted().toList();
  }

  private static String constant(Field field) {
    try {
      return (String) field.get(null);
    } catch (IllegalAccessException e) {
      throw new LinkageError(field.getName(), e);
    }
  }

  String later() {
    return "{\"containers\":[{\"resources\":{\"requests\":{\"nvidia.com/gpu\":\"%d\"}}}]}"
        .formatted(1 + random.nextInt(8));
  }

  /** Makes it a member of a gang, in some dialect. */
  void mark(Map<String, String> annotations, Map<String, String> labels, String own, int count) {
    var dialect = any(DIALECTS);
    var where = LABELS.contains(dialect) ? labels : annotations;
    where.put(dialect, any(List.of("g0", "g1", "g2", own, own, "a-0")));
    Optional.ofNullable(SIZES.get(dialect))
        .ifPresent(size -> {
          var fewest = Integer.toString(oneIn(4) ? 5000 : 1 + random.nextInt(count));
          (LABELS.contains(size) ? labels : annotations).put(size, fewest);
        });
  }

  /** Adds anything. */
  void spoil(Map<String, String> annotations, Map<String, String> labels) {
    for (int i = random.nextInt(4); i > 0; i--) {
      var key = any(KEYS);
      (LABELS.contains(key) || oneIn(8) ? labels : annotations).put(key, any(VALUES));
    }
  }

  /** What Muster's policy keeps as it was: its own keys, and those of all dialects on members. */
  static void keep(Map<String, String> was, Map<String, String> now, boolean isMember) {
    for (var key : KEYS) {
      if (isMember || key.startsWith("muster.io/")) {
        now.remove(key);
        Optional.ofNullable(was.get(key)).ifPresent(value -> now.put(key, value));
      }
    }
  }
}
