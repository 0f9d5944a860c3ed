package io.muster.deploy.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.kubernetes.api.model.ConfigMapVolumeSource;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.deploy.config.Config;
import io.muster.deploy.config.Setting;
import io.muster.extender.kube.snapshot.ClusterReading;
import io.muster.extender.yaml.MalformedYamlException;
import io.muster.extender.yaml.YamlReading;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The configurations of kube-scheduler that can be had: a file that was given, else what its pods
 * mount from ConfigMaps. A static pod has its file on its node, where nobody can read it from here.
 *
 * @param addresses of Service muster-extender, as {@code host:port}; empty if it is not known
 */
record SchedulersFound(
    KubernetesClient client, Config settings, int nodes, List<String> addresses) {

  private static final String CHECK = "scheduler";
  private static final String PROGRAM = "kube-scheduler";
  private static final String GIVE_IT = "give its configuration with --scheduler-config FILE";

  /** The findings about a file. */
  List<Finding> in(Path file) {
    try {
      return of(file.toString(), Files.readString(file));
    } catch (IOException e) {
      return List.of(
          Finding.cannotTell(CHECK, file + " cannot be read: " + e.getMessage(), GIVE_IT));
    }
  }

  /** The findings about the schedulers that run as pods, alike ones once. */
  List<Finding> inCluster() {
    if (!settings.rules().placement().isAsked()) {
      return List.of(Finding.ok(CHECK, "placementMode is not extender: nobody need ask Muster"));
    }
    Map<Finding, Boolean> findings = new LinkedHashMap<>();
    for (var namespace : List.of("kube-system", settings.text(Setting.NAMESPACE))) {
      for (var pod : client.pods().inNamespace(namespace).list().getItems()) {
        for (var container : pod.getSpec().getContainers()) {
          if (words(container).anyMatch(word -> word.endsWith(PROGRAM))) {
            of(pod, container).forEach(finding -> findings.put(finding, true));
          }
        }
      }
    }
    return findings.isEmpty()
        ? List.of(
            Finding.cannotTell(
                CHECK, "no pod in kube-system runs kube-scheduler with its command", GIVE_IT))
        : List.copyOf(findings.keySet());
  }

  private List<Finding> of(Pod pod, Container container) {
    var where = "pod " + pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName();
    var path = configuration(words(container).toList());
    if (path.isEmpty()) {
      var document = new YAMLMapper().createObjectNode().put("kind", "KubeSchedulerConfiguration");
      return new SchedulerConfiguration(
              where + ", without --config,", document, settings, nodes, addresses)
          .findings();
    }
    var mounted = mounted(pod, container, path.get());
    if (mounted.isPresent()) {
      return of(where, mounted.get());
    }
    return List.of(
        Finding.cannotTell(
            CHECK,
            "%s reads %s, a file of node %s"
                .formatted(where, path.get(), pod.getSpec().getNodeName()),
            "copy it from there and " + GIVE_IT));
  }

  private List<Finding> of(String place, String text) {
    JsonNode document;
    try {
      document = new YamlReading().first(text);
    } catch (MalformedYamlException e) {
      return List.of(Finding.problem(CHECK, place + ": " + e.getMessage(), "mend the file"));
    }
    return new SchedulerConfiguration(place, document, settings, nodes, addresses).findings();
  }

  private static Stream<String> words(Container container) {
    return Stream.of(container.getCommand(), container.getArgs())
        .filter(Objects::nonNull)
        .flatMap(List::stream)
        .filter(Objects::nonNull);
  }

  private static Optional<String> configuration(List<String> words) {
    for (int i = 0; i < words.size(); i++) {
      if (words.get(i).startsWith("--config=")) {
        return Optional.of(words.get(i).substring("--config=".length()));
      }
      if (words.get(i).equals("--config") && i + 1 < words.size()) {
        return Optional.of(words.get(i + 1));
      }
    }
    return Optional.empty();
  }

  /** The text of the file, where it is of a ConfigMap that the container mounts. */
  private Optional<String> mounted(Pod pod, Container container, String path) {
    return container.getVolumeMounts().stream()
        .filter(mount -> path.equals(mount.getMountPath()) || path.startsWith(folder(mount)))
        .max(Comparator.comparingInt(mount -> mount.getMountPath().length()))
        .flatMap(mount ->
            pod.getSpec().getVolumes().stream()
                .filter(volume -> volume.getName().equals(mount.getName()))
                .map(Volume::getConfigMap)
                .filter(Objects::nonNull)
                .findFirst()
                .flatMap(source -> text(pod, source, inVolume(mount, path))));
  }

  private static String folder(VolumeMount mount) {
    return mount.getMountPath().replaceAll("/+$", "") + "/";
  }

  /** Where in the volume the file is, of which a mount may show a part. */
  private static String inVolume(VolumeMount mount, String path) {
    var below = path.equals(mount.getMountPath()) ? "" : path.substring(folder(mount).length());
    return Stream.of(Objects.requireNonNullElse(mount.getSubPath(), ""), below)
        .filter(part -> !part.isEmpty())
        .collect(Collectors.joining("/"));
  }

  private Optional<String> text(Pod pod, ConfigMapVolumeSource source, String file) {
    var key =
        source.getItems().stream()
            .filter(item -> item.getPath().equals(file))
            .map(KeyToPath::getKey)
            .findFirst()
            .orElse(file);
    var namespace = pod.getMetadata().getNamespace();
    return ClusterReading.document(client, namespace, source.getName(), key);
  }
}
