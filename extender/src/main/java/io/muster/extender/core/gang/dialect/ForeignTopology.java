package io.muster.extender.core.gang.dialect;

import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.Stated;
import io.muster.extender.core.gang.Topology;
import io.muster.extender.core.gang.dialect.TopologyReading.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Reads how close together members are to be as other schedulers have their users write it. What
 * names a level is taken as it stands: whether the cluster has such a level is not known here.
 * Stateless; safe for concurrent use.
 */
final class ForeignTopology {

  private static final String KUEUE = "kueue.x-k8s.io/podset-";
  private static final String KAI = "kai.scheduler/";
  private static final String VOLCANO = "volcano.sh/network-topology-";

  /** On pods and PodGroups of Koordinator: JSON of rules, each about one layer. */
  static final String LAYERS = KoordinatorReader.PREFIX + "network-topology-spec";

  private static final int LONGEST_LAYERS = 4096;
  private static final Pattern OPENING =
      Pattern.compile("\\s*\\{\\s*\"gatherStrategy\"\\s*:\\s*\\[\\s*");
  private static final String WORD = "\\s*\"(layer|strategy)\"\\s*:\\s*\"([^\"\\\\]{1,253})\"\\s*";
  private static final Pattern RULE =
      Pattern.compile("\\{" + WORD + "," + WORD + "\\}\\s*(,\\s*(?=\\{)|(?=\\]))");
  private static final Pattern CLOSING = Pattern.compile("\\]\\s*\\}\\s*");

  /** Labels of pods whose job may have other templates beside theirs. */
  private static final List<String> TEMPLATES =
      List.of(
          "jobset.sigs.k8s.io/replicatedjob-name",
          "training.kubeflow.org/replica-type",
          "leaderworkerset.sigs.k8s.io/name",
          "ray.io/group");

  /** The annotations of others, which name levels by the keys of labels. */
  private record Spelling(String required, String preferred, String segmentLevel, String size) {

    private static final List<Spelling> ALL =
        List.of(
            new Spelling(
                KUEUE + "required-topology",
                KUEUE + "preferred-topology",
                KUEUE + "slice-required-topology",
                KUEUE + "slice-size"),
            new Spelling(
                KAI + "topology-required-placement",
                KAI + "topology-preferred-placement",
                KAI + "segment-topology-required-placement",
                KAI + "segment-size"));
  }

  private ForeignTopology() {}

  /**
   * By the annotations of a pod. They speak of the pods of one template: where a gang is made of
   * several, what they require is preferred.
   */
  static Outcome read(Markings markings) {
    var outcome = read(markings.annotations());
    return outcome instanceof Outcome.Read(var topology, var warnings)
            && TEMPLATES.stream().anyMatch(markings.labels()::containsKey)
        ? new Outcome.Read(
            new Topology(
                topology.preferred().isEmpty()
                    ? topology.required().stream().toList()
                    : topology.preferred(),
                Optional.empty()),
            warnings)
        : outcome;
  }

  private static Outcome read(Map<String, String> annotations) {
    for (var spelling : Spelling.ALL) {
      var segment =
          level(annotations, spelling.segmentLevel)
              .flatMap(level ->
                  TopologyReading.size(annotations.getOrDefault(spelling.size, ""))
                      .map(size -> new Topology.Segment(level, size)));
      var topology =
          new Topology(
              level(annotations, spelling.preferred).stream().toList(),
              level(annotations, spelling.required),
              segment.stream().toList());
      if (!topology.isAnywhere()) {
        return read(topology);
      }
    }
    var layers = Stated.in(annotations, LAYERS);
    return layers.value().isPresent()
        ? ofLayers(layers)
        : ofTiers(
            Stated.in(annotations, VOLCANO + "mode"),
            Stated.in(annotations, VOLCANO + "highest-tier"),
            new Stated(VOLCANO, Optional.empty()));
  }

  private static Outcome read(Topology topology) {
    return new Outcome.Read(topology, List.of());
  }

  private static Optional<String> level(Map<String, String> annotations, String key) {
    return Optional.ofNullable(annotations.get(key)).filter(TopologyReading::isLevel);
  }

  /** By what another scheduler takes for the key of a label; not checked, since it does that. */
  static Outcome ofLevels(Stated required, Stated preferred) {
    return read(
        new Topology(
            preferred.value().filter(TopologyReading::isLevel).stream().toList(),
            required.value().filter(TopologyReading::isLevel)));
  }

  /**
   * As Volcano has it: by tiers, of which the first is the nearest. It prefers the nearer ones, and
   * binds nothing where no tier is stated.
   */
  static Outcome ofTiers(Stated mode, Stated tier, Stated name) {
    var word = mode.value().orElse("hard");
    boolean isHard = word.equals("hard");
    if (!isHard && !word.equals("soft")) {
      return TopologyReading.bad(mode, "it must be hard or soft");
    }
    if (name.value().isPresent()) {
      var level = name.value().get();
      return TopologyReading.isLevel(level)
          ? read(isHard ? Topology.requiring(level) : Topology.preferring(level))
          : TopologyReading.bad(name, TopologyReading.NO_LEVEL);
    }
    if (tier.value().isEmpty()) {
      return read(
          mode.value().isEmpty()
              ? Topology.ANYWHERE
              : new Topology(tiers(TopologyReading.MOST_LEVELS), Optional.empty()));
    }
    int number = tier.integer().orElse(0);
    if (number < 1 || number > TopologyReading.MOST_LEVELS) {
      return TopologyReading.bad(
          tier,
          "it must be the number of a level, 1 for the innermost, up to "
              + TopologyReading.MOST_LEVELS);
    }
    return read(
        isHard
            ? new Topology(tiers(number - 1), Optional.of(Topology.tier(number)))
            : new Topology(tiers(number), Optional.empty()));
  }

  private static List<String> tiers(int up) {
    return IntStream.rangeClosed(1, up).mapToObj(Topology::tier).toList();
  }

  /** As Koordinator has it: rules about layers, some of which must hold. */
  static Outcome ofLayers(Stated stated) {
    var must = new ArrayList<String>();
    var preferred = new ArrayList<String>();
    return readRules(stated.value().orElse(""), must, preferred) && must.size() < 2
        ? read(new Topology(preferred, must.stream().findFirst()))
        : TopologyReading.bad(
            stated,
            "it must be {\"gatherStrategy\":[...]} with up to %d rules"
                    .formatted(TopologyReading.MOST_LEVELS)
                + " {\"layer\":\"...\",\"strategy\":\"PreferGather\"}, the nearest layer first,"
                + " at most one of them MustGather");
  }

  private static boolean readRules(String json, List<String> must, List<String> preferred) {
    var matcher = OPENING.matcher(json);
    if (json.length() > LONGEST_LAYERS || !matcher.lookingAt()) {
      return false;
    }
    int at = matcher.end();
    matcher.usePattern(RULE);
    while (matcher.region(at, json.length()).lookingAt()) {
      boolean isLayerFirst = matcher.group(1).equals("layer");
      var layer = matcher.group(isLayerFirst ? 2 : 4);
      var strategy = matcher.group(isLayerFirst ? 4 : 2);
      if (matcher.group(1).equals(matcher.group(3)) || !TopologyReading.isLevel(layer)) {
        return false;
      }
      switch (strategy) {
        case "MustGather" -> must.add(layer);
        case "PreferGather" -> preferred.add(layer);
        default -> {
          return false;
        }
      }
      at = matcher.end();
    }
    return must.size() + preferred.size() <= TopologyReading.MOST_LEVELS
        && matcher.usePattern(CLOSING).region(at, json.length()).matches();
  }
}
