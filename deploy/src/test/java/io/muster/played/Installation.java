package io.muster.played;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.muster.sandbox.Command;
import io.muster.sandbox.Helm;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The chart in a played cluster, as an administrator installs it with helm. Immutable. */
final class Installation {

  static final String NAMESPACE = "muster-system";
  private static final String RELEASE = "muster";

  /** The revision before the present one, as helm counts. */
  static final int THE_LAST = 0;

  private static final List<String> WAITING = List.of("--wait", "--timeout", "3m");

  /** What Kubernetes makes and forgets by itself. */
  private static final Set<String> PASSING = Set.of("events", "events.events.k8s.io", "leases");

  private static final Pattern STAYS =
      Pattern.compile(
          "(CustomResourceDefinition|APIService|Namespace)//.*"
              + "|ServiceAccount/%1$s/default|ConfigMap/%1$s/kube-root-ca.crt|.*/t-[a-z-]+-[0-9a-f]{5}/.*"
                  .formatted(NAMESPACE));

  private final PlayedCluster cluster;
  private final Helm helm;
  private final Path values;

  private Installation(PlayedCluster cluster, Helm helm, Path values) {
    this.cluster = cluster;
    this.helm = helm;
    this.values = values;
  }

  static Installation in(PlayedCluster cluster) throws IOException {
    var sandbox = cluster.sandbox();
    var values = sandbox.state().file("values.yaml");
    Files.writeString(
        values, "nodeSelector: {" + PlayedKubelet.LABEL + ": \"true\"}\ntopologySpread: none\n");
    return new Installation(
        cluster, Helm.findOrBuild(sandbox.layout()).on(sandbox.state().kubeconfig()), values);
  }

  /** Returns when its pods are ready. */
  String install(String... sets) {
    return helm.output(line(installing(), WAITING, sets));
  }

  /** The same, over definitions of others. */
  String takeOver(String... sets) {
    return helm.output(
        line(Stream.concat(installing(), Stream.of("--take-ownership")), WAITING, sets));
  }

  private Stream<String> installing() {
    return Stream.of("install", RELEASE, chart(), "--create-namespace", "--values=" + values);
  }

  /** Other values; those given before stay. Returns when the new pods are ready. */
  String upgrade(String... sets) {
    return helm.output(
        line(Stream.of("upgrade", RELEASE, chart(), "--reuse-values"), WAITING, sets));
  }

  /**
   * Also from a release whose uninstallation was refused.
   *
   * @param revision one of the last ten, which helm keeps, or {@link #THE_LAST}
   */
  String rollback(int revision) {
    return helm.output(line(Stream.of("rollback", RELEASE, Integer.toString(revision)), WAITING));
  }

  /** What {@code helm test} prints with the logs of its pods; it must pass. */
  String test() {
    return helm.output(line(Stream.of("test", RELEASE), List.of()));
  }

  /** However it ends. */
  Command.Result uninstall() {
    return helm.run(line(Stream.of("uninstall", RELEASE), WAITING));
  }

  /** What the chart has put into the cluster, the release's own Secret last. */
  List<HasMetadata> manifest() {
    var manifest = helm.output(line(Stream.of("get", "manifest", RELEASE), List.of()));
    var objects =
        new ArrayList<>(
            cluster
                .client()
                .load(new ByteArrayInputStream(manifest.getBytes(StandardCharsets.UTF_8)))
                .items());
    objects.addAll(
        cluster
            .client()
            .secrets()
            .inNamespace(NAMESPACE)
            .withLabel("owner", "helm")
            .list()
            .getItems());
    return objects;
  }

  /**
   * Takes away what a test has left, without asking Muster; nothing to do if it has left nothing.
   */
  void clear() {
    helm.output(line(Stream.of("uninstall", RELEASE, "--no-hooks", "--ignore-not-found"), WAITING));
  }

  private String chart() {
    return cluster.sandbox().layout().deploy().resolve("chart/muster").toString();
  }

  private static List<String> line(Stream<String> start, List<String> end, String... sets) {
    var line = new ArrayList<>(start.toList());
    line.addAll(List.of("--namespace", NAMESPACE));
    line.addAll(end);
    Arrays.stream(sets).map(set -> "--set=" + set).forEach(line::add);
    return line;
  }

  /** The pods of Muster itself. */
  List<Pod> pods() {
    return of(cluster);
  }

  /** The pods of Muster itself. */
  static List<Pod> of(PlayedCluster cluster) {
    return cluster
        .client()
        .pods()
        .inNamespace(NAMESPACE)
        .withLabel("app.kubernetes.io/component", "server")
        .list()
        .getItems();
  }

  /** Every object of the cluster as {@code kind/name} in its namespace, but for what passes. */
  Set<String> objects() {
    var sandbox = cluster.sandbox();
    var kinds =
        sandbox
            .kubectl("api-resources", "--verbs=list", "-o", "name")
            .lines()
            .filter(kind -> !PASSING.contains(kind.replace(".coordination.k8s.io", "")))
            .collect(Collectors.joining(","));
    return sandbox
        .kubectl(
            "get",
            kinds,
            "-A",
            "--ignore-not-found",
            "-o",
            "jsonpath={range .items[*]}{.kind}/{.metadata.namespace}/{.metadata.name}{\"\\n\"}{end}")
        .lines()
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /**
   * What has come since {@link #objects} were these, but for the definitions, which stay, and the
   * empty namespace; the namespaces of tests are their own affair.
   */
  Set<String> leftSince(Set<String> before) {
    var left = new TreeSet<>(objects());
    left.removeAll(before);
    left.removeIf(STAYS.asMatchPredicate());
    return left;
  }
}
