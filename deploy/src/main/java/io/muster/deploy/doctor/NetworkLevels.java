package io.muster.deploy.doctor;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.controller.kube.Marks;
import io.muster.deploy.config.Config;
import io.muster.deploy.config.Setting;
import io.muster.extender.core.cluster.Levels;
import io.muster.extender.core.cluster.Levels.Level;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.NvlinkDomain.Word;
import io.muster.extender.core.gang.Topology;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.kube.convert.LevelsReading;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.extender.kube.watch.EveryPod;
import io.muster.extender.kube.watch.LevelsFeed;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which levels the network has, whether nodes are in them, and whether members ask for others.
 * Pure.
 *
 * @param asked what members name, and one of the gangs that do
 */
record NetworkLevels(Optional<ConfigMap> stored, List<Node> nodes, Map<String, String> asked) {

  private static final String CHECK = "topology";

  /** Reads them. */
  static List<Finding> findings(KubernetesClient client, Config settings, List<Node> nodes) {
    var asked = new TreeMap<String, String>();
    var translation = new PodConverter(new DialectDetector(), settings.schedulers());
    EveryPod.of(
        client,
        read -> {
          var pod = translation.pod(read);
          pod.membership()
              .filter(_ -> !pod.isTerminal())
              .ifPresent(member ->
                  levels(member).forEach(level -> asked.putIfAbsent(level, "" + member.gang())));
        });
    return new NetworkLevels(
            Optional.ofNullable(
                client
                    .configMaps()
                    .inNamespace(settings.text(Setting.NAMESPACE))
                    .withName(LevelsFeed.NAME)
                    .get()),
            nodes,
            asked)
        .findings();
  }

  private static Stream<String> levels(Membership member) {
    var topology = member.topology();
    return member.nvlink().word() == Word.AUTO && !topology.binds()
        ? Stream.empty()
        : Stream.of(
                topology.required().stream(),
                topology.preferred().stream().filter(level -> Topology.tierOf(level) == 0),
                topology.segments().stream().map(Topology.Segment::level))
            .flatMap(all -> all);
  }

  List<Finding> findings() {
    var document =
        stored.map(map -> Objects.requireNonNullElse(map.getData(), Map.<String, String>of()));
    if (document.isPresent() && !document.get().containsKey(LevelsFeed.KEY)) {
      return List.of(mistaken("data has no key " + LevelsFeed.KEY));
    }
    var read =
        document
            .map(data -> LevelsReading.read(data.get(LevelsFeed.KEY)))
            .orElse(new LevelsReading.Read(Levels.FOUND, List.of()));
    if (!read.problems().isEmpty()) {
      return List.of(mistaken(String.join("; ", read.problems())));
    }
    var levels = read.levels().amongLabels(nodes.stream().map(Marks::labels).toList());
    var findings = new ArrayList<Finding>();
    findings.add(described(levels, read.levels().areFound()));
    var unknown =
        asked.entrySet().stream()
            .filter(entry -> bearing(levels.labelOf(entry.getKey())).isEmpty())
            .map(entry -> "%s (gang %s)".formatted(entry.getKey(), entry.getValue()))
            .toList();
    if (!unknown.isEmpty()) {
      findings.add(
          Finding.problem(
              CHECK + ".unknown",
              "asked for, and neither a level nor a label of any node: " + Finding.shown(unknown),
              "state the level in the ConfigMap %s, or mend what the pods ask for"
                  .formatted(LevelsFeed.NAME)));
    }
    return findings;
  }

  private Finding described(Levels levels, boolean areFound) {
    var source =
        areFound ? "levels by the labels of nodes" : "ConfigMap %s".formatted(LevelsFeed.NAME);
    if (levels.all().isEmpty()) {
      return Finding.ok(CHECK, source + ": none");
    }
    var evidence =
        source + ": " + levels.all().stream().map(this::counted).collect(Collectors.joining(", "));
    var lacking =
        nodes.stream()
            .filter(node -> !Marks.labels(node).keySet().containsAll(levels.labels()))
            .map(node -> node.getMetadata().getName())
            .sorted()
            .toList();
    var unborne =
        levels.all().stream()
            .filter(level -> bearing(level.label()).isEmpty())
            .map(Level::name)
            .toList();
    return unborne.isEmpty()
        ? Finding.ok(
            CHECK,
            evidence + (lacking.isEmpty() ? "" : "; not in all of them: " + Finding.shown(lacking)))
        : Finding.problem(
            CHECK,
            evidence,
            "no node has the label of %s: label the nodes, or mend the ConfigMap"
                .formatted(String.join(", ", unborne)));
  }

  private String counted(Level level) {
    var bearing = bearing(level.label());
    return "%s (%s) on %d of %s in %s"
        .formatted(
            level.name(),
            level.label(),
            bearing.size(),
            count(nodes.size(), "node"),
            count(bearing.stream().distinct().count(), "domain"));
  }

  private static String count(long number, String noun) {
    return number == 1 ? "1 " + noun : "%d %ss".formatted(number, noun);
  }

  /** The values of that label, one for each node that has it. */
  private List<String> bearing(String label) {
    return nodes.stream()
        .flatMap(node -> Stream.ofNullable(Marks.labels(node).get(label)))
        .toList();
  }

  private static Finding mistaken(String problems) {
    return Finding.problem(
        CHECK,
        "ConfigMap %s has mistakes and is not in force: %s".formatted(LevelsFeed.NAME, problems),
        "mend it: what was in force before stays until muster starts again, and then the levels are"
            + " those that the labels of the nodes show");
  }
}
