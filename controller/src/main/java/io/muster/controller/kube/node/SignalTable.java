package io.muster.controller.kube.node;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.kubernetes.api.model.Node;
import io.muster.controller.kube.node.Signal.Kind;
import io.muster.extender.kube.Sentences;
import io.muster.extender.yaml.MalformedYamlException;
import io.muster.extender.yaml.YamlReading;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;

/**
 * By what nodes say that they will go, and how those are labelled that may go any time. Read from
 * YAML; the table that comes with Muster is the resource {@code signals.yml}. Immutable.
 */
public final class SignalTable {

  private static final YAMLMapper YAML = new YAMLMapper();

  private final List<Signal> signals;
  private final List<SpotLabel> spotLabels;

  /** Nodes with one of these values of the label may go any time. */
  public record SpotLabel(String key, List<String> values) {}

  /** A row as it is written; absent fields are null. */
  private record Row(
      String taint,
      String condition,
      String annotation,
      Boolean unschedulable,
      String messageStart,
      Boolean saysWhen) {}

  private record Written(List<Row> signals, List<SpotLabel> spotLabels) {}

  private SignalTable(List<Signal> signals, List<SpotLabel> spotLabels) {
    this.signals = List.copyOf(signals);
    this.spotLabels = List.copyOf(spotLabels);
  }

  /** The table that comes with Muster. */
  public static SignalTable builtIn() {
    try (var resource = SignalTable.class.getResourceAsStream("signals.yml")) {
      return of(new String(resource.readAllBytes(), UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * The table in a file.
   *
   * @throws IllegalArgumentException if it cannot be read, with what is wrong with it
   */
  public static SignalTable in(Path file) {
    try {
      return of(Files.readString(file));
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "%s cannot be read: %s".formatted(file, e.getMessage()), e);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
    }
  }

  /**
   * The table in a text.
   *
   * @throws IllegalArgumentException with every problem of it
   */
  static SignalTable of(String yaml) {
    var written = written(yaml);
    var problems = new ArrayList<String>();
    var rows = Objects.requireNonNullElse(written.signals(), List.<Row>of());
    var labels = Objects.requireNonNullElse(written.spotLabels(), List.<SpotLabel>of());
    for (int i = 0; i < rows.size(); i++) {
      var place = "signals[%d] ".formatted(i);
      problem(rows.get(i)).ifPresent(problem -> problems.add(place + problem));
    }
    for (int i = 0; i < labels.size(); i++) {
      var label = labels.get(i);
      if (label == null || isBlank(label.key()) || label.values() == null) {
        problems.add("spotLabels[%d] needs a key and a list of values".formatted(i));
      }
    }
    if (!problems.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", problems));
    }
    return new SignalTable(rows.stream().map(SignalTable::signal).toList(), labels);
  }

  private static Written written(String yaml) {
    try {
      var written = YAML.treeToValue(new YamlReading().first(yaml), Written.class);
      if (written == null) {
        throw new IllegalArgumentException("it has a wrong form");
      }
      return written;
    } catch (UnrecognizedPropertyException e) {
      throw new IllegalArgumentException(
          "%s is not a field; there are %s"
              .formatted(place(e), new TreeSet<>(e.getKnownPropertyIds())),
          e);
    } catch (JsonMappingException e) {
      throw new IllegalArgumentException(place(e) + " has a wrong form", e);
    } catch (MalformedYamlException | JsonProcessingException e) {
      throw new IllegalArgumentException("it is no YAML: " + e.getMessage(), e);
    }
  }

  private static String place(JsonMappingException e) {
    var place = Sentences.pathOf(e);
    return place.isEmpty() ? "it" : place;
  }

  private static Optional<String> problem(Row row) {
    if (row == null || names(row).size() != 1) {
      return Optional.of(
          "needs one of taint, condition, annotation and unschedulable: true, and only one");
    }
    var name = names(row).entrySet().iterator().next();
    var kind = name.getKey();
    if (kind != Kind.UNSCHEDULABLE && isBlank(name.getValue())) {
      return Optional.of("has an empty name");
    }
    if (row.messageStart() != null && kind != Kind.CONDITION) {
      return Optional.of("has a messageStart, which only conditions have");
    }
    return kind == Kind.UNSCHEDULABLE && Boolean.TRUE.equals(row.saysWhen())
        ? Optional.of("has saysWhen, but a cordon bears no time")
        : Optional.empty();
  }

  private static boolean isBlank(String text) {
    return text == null || text.isBlank();
  }

  /** What the row names, by what it is; one name in a row that is right. */
  private static Map<Kind, String> names(Row row) {
    var names = new EnumMap<Kind, String>(Kind.class);
    names.put(Kind.TAINT, row.taint());
    names.put(Kind.CONDITION, row.condition());
    names.put(Kind.ANNOTATION, row.annotation());
    names.put(Kind.UNSCHEDULABLE, Boolean.TRUE.equals(row.unschedulable()) ? "" : null);
    names.values().removeIf(Objects::isNull);
    return names;
  }

  private static Signal signal(Row row) {
    var name = names(row).entrySet().iterator().next();
    return new Signal(
        name.getKey(),
        name.getValue(),
        Objects.requireNonNullElse(row.messageStart(), ""),
        Boolean.TRUE.equals(row.saysWhen()));
  }

  /** The signals that the node bears. */
  List<Signal.Given> in(Node node) {
    return signals.stream().flatMap(signal -> signal.in(node).stream()).toList();
  }

  /** By what nodes are known that may go any time. */
  public List<SpotLabel> spotLabels() {
    return spotLabels;
  }
}
