package io.muster.sandbox;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Taint;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClassBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/**
 * What belongs to one test in a shared sandbox: a namespace of its own, and nodes that only pods
 * with its node selector are meant for. Closing it removes both without waiting for the end of it.
 * Confined to the test's thread.
 */
public final class TestSpace implements AutoCloseable {

  /** Carried by the nodes of a test; the value is the test's namespace. */
  public static final String SET_LABEL = "sandbox.muster.io/set";

  private static final int LONGEST_NAME = 37;

  private final Sandbox sandbox;
  private final String namespace;
  private int requests;

  private TestSpace(Sandbox sandbox, String namespace) {
    this.sandbox = sandbox;
    this.namespace = namespace;
  }

  /** Makes the namespace; {@code testName} only helps a reader to recognise it. */
  public static TestSpace open(Sandbox sandbox, String testName) {
    var namespace = unique(testName);
    sandbox
        .client()
        .namespaces()
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build())
        .create();
    return new TestSpace(sandbox, namespace);
  }

  public String namespace() {
    return namespace;
  }

  /** Confines pods to the nodes of this test. */
  public Map<String, String> nodeSelector() {
    return Map.of(SET_LABEL, namespace);
  }

  /** Reasons and messages of the Events on an object. */
  public List<String> events(String object) {
    return client().v1().events().inNamespace(namespace).list().getItems().stream()
        .filter(event -> object.equals(event.getInvolvedObject().getName()))
        .map(event -> event.getReason() + ": " + Objects.requireNonNullElse(event.getMessage(), ""))
        .toList();
  }

  /** What {@code kubectl get} prints, the ages left out. */
  public List<String> printed(String... what) {
    var arguments = Stream.concat(Stream.of("get", "-n", namespace), Stream.of(what));
    return sandbox
        .kubectl(arguments.toArray(String[]::new))
        .lines()
        .map(line -> line.strip().replaceAll("\\s+[0-9hms]+$|\\s+AGE$", "").replaceAll("\\s+", " "))
        .toList();
  }

  /** What kubectl says when it would create that. */
  public String warnings(String manifest) {
    try {
      var file = Files.createTempFile("manifest", ".yaml");
      Files.writeString(file, manifest);
      try {
        return sandbox.kubectl(
            "create", "--dry-run=server", "-n", namespace, "-f", file.toString());
      } finally {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Adds Ready nodes to the set of this test and returns their names. */
  public List<String> nodes(int count, NodeShape shape) {
    return nodes(count, shape, Map.of(), List.of());
  }

  public List<String> nodes(
      int count, NodeShape shape, Map<String, String> labels, List<Taint> taints) {
    var prefix = namespace + "-" + shape.label() + (requests == 0 ? "" : "-" + requests);
    requests++;
    return sandbox
        .nodes()
        .add(
            NodeRequest.of(prefix, count, shape)
                .labelled(labels)
                .labelled(nodeSelector())
                .tainted(taints));
  }

  /** Makes a PriorityClass that goes with this space, and says its name. */
  public String priorityClass(int value) {
    var name = namespace + "-" + value;
    client()
        .scheduling()
        .v1()
        .priorityClasses()
        .resource(
            new PriorityClassBuilder()
                .withNewMetadata()
                .withName(name)
                .addToLabels(SET_LABEL, namespace)
                .endMetadata()
                .withValue(value)
                .build())
        .create();
    return name;
  }

  /** A client that may do everything; it has no default namespace, so name this one. */
  public KubernetesClient client() {
    return sandbox.client();
  }

  public Sandbox sandbox() {
    return sandbox;
  }

  @Override
  public void close() {
    var client = sandbox.client();
    // First the namespace, so that no controller replaces the pods that go next.
    client.namespaces().withName(namespace).delete();
    client.scheduling().v1().priorityClasses().withLabel(SET_LABEL, namespace).delete();
    client.pods().inNamespace(namespace).withGracePeriod(0).delete();
    sandbox.nodes().remove(nodeSelector());
  }

  private static String unique(String testName) {
    var words =
        testName
            .replaceAll("([a-z0-9])([A-Z])", "$1-$2")
            .toLowerCase(Locale.ROOT)
            .replaceAll("[^a-z0-9]+", "-")
            .replaceAll("^-|-$", "");
    var start = words.substring(0, Math.min(words.length(), LONGEST_NAME)).replaceAll("-$", "");
    var end = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
    return "t-" + start + "-" + end;
  }
}
