package io.muster.chart;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.muster.sandbox.Helm;
import io.muster.sandbox.Layout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The chart as helm renders it. Stateless; safe for concurrent use. */
final class ChartRendering {

  static final String NAMESPACE = "muster-system";
  static final Path CHART = Path.of("chart/muster");

  /** Without a cluster to ask, helm is told that it has cert-manager's kind. */
  static final String CERTIFICATES = "--api-versions=cert-manager.io/v1/Certificate";

  private static final YAMLMapper YAML = new YAMLMapper();

  private ChartRendering() {}

  /**
   * What {@code helm template} prints.
   *
   * @param values as {@code --set} takes them
   */
  static String text(List<String> values) {
    return Helm.findOrBuild(Layout.current()).output(template(NAMESPACE, values));
  }

  static List<String> template(String namespace, List<String> values) {
    return Stream.of(
            Stream.of("template", "muster", CHART.toString(), "--namespace", namespace),
            Stream.of(CERTIFICATES),
            values.stream().flatMap(value -> Stream.of("--set-json", value)))
        .flatMap(part -> part)
        .toList();
  }

  static List<JsonNode> objects(List<String> values) {
    return documents(text(values));
  }

  static List<JsonNode> documents(String text) {
    try (var parser = new YAMLFactory().createParser(text)) {
      var found = new ArrayList<JsonNode>();
      YAML.readerFor(JsonNode.class).<JsonNode>readValues(parser).forEachRemaining(found::add);
      return found.stream().filter(object -> object != null && object.isObject()).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Such as {@code Role muster-system/muster}. */
  static String name(JsonNode object) {
    var metadata = object.path("metadata");
    var namespace = metadata.path("namespace").asText();
    return "%s %s%s"
        .formatted(
            object.path("kind").asText(),
            namespace.isEmpty() ? "" : namespace + "/",
            metadata.path("name").asText());
  }

  /** The pod that a workload makes, or that the object is. */
  static JsonNode pod(JsonNode object) {
    return object.path("kind").asText().equals("Pod")
        ? object.path("spec")
        : object.path("spec").path("template").path("spec");
  }
}
