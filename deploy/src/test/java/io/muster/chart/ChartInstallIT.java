package io.muster.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.muster.e2e.MusterCommand;
import io.muster.sandbox.Await;
import io.muster.sandbox.BareSandbox;
import io.muster.sandbox.Helm;
import io.muster.sandbox.Layout;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxException;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The chart at a real API server. No pod runs on the sandbox, so hooks are left out, and their
 * commands are run by hand with the account that they would have.
 */
@Tag("long")
@BareSandbox
@ExtendWith(SandboxExtension.class)
final class ChartInstallIT {

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final JsonMapper JSON = new JsonMapper();

  /** As much as etcd takes of one object is 1.5 MB. */
  private static final int MOST_OF_A_RELEASE = 500_000;

  private static final List<String> OTHERS = List.of("di-system", "ding-system", "paddlecloud");

  @TempDir private Path folder;

  /** What cert-manager's definition of Certificate has of the fields that the chart gives. */
  private static final Path CERTIFICATES = Path.of("src/test/resources/chart/cert-manager.yaml");

  /** The definitions of an operator that the sandbox has not, as open as can be. */
  private static final String OPERATORS_KINDS =
      Stream.of("PodMonitor", "PrometheusRule")
          .map(kind ->
              """
              apiVersion: apiextensions.k8s.io/v1
              kind: CustomResourceDefinition
              metadata:
                name: %2$ss.monitoring.coreos.com
              spec:
                group: monitoring.coreos.com
                scope: Namespaced
                names: {kind: %1$s, plural: %2$ss, singular: %2$s}
                versions:
                - name: v1
                  served: true
                  storage: true
                  schema:
                    openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}
              """
                  .formatted(kind, kind.toLowerCase(Locale.ROOT)))
          .collect(Collectors.joining("---\n"));

  /** What stays, for whoever has the sandbox next. */
  @AfterEach
  void deleteWhatStays(Sandbox sandbox) {
    sandbox.kubectl("delete", "crd,namespace", "-l", "app.kubernetes.io/managed-by=Helm");
  }

  @Test
  void theApiServerTakesEveryObjectOfEverySet(Sandbox sandbox, TestSpace space) throws IOException {
    var definition =
        Files.writeString(
            folder.resolve("operator.yaml"),
            OPERATORS_KINDS + "---\n" + Files.readString(CERTIFICATES));
    sandbox.kubectl("apply", "-f", definition.toString());
    sandbox.kubectl(
        "wait", "--for=condition=Established", "--timeout=30s", "-f", definition.toString());
    OTHERS.forEach(name -> sandbox.kubectl("create", "namespace", name));
    try {
      for (var set : ValueSets.all().entrySet()) {
        var text = helm(sandbox).output(ChartRendering.template(space.namespace(), set.getValue()));
        var file = Files.writeString(folder.resolve(set.getKey() + ".yaml"), text);
        assertTaken(sandbox, file);
      }
    } finally {
      sandbox.kubectl("delete", "-f", definition.toString());
      sandbox.kubectl(
          Stream.concat(Stream.of("delete", "namespace"), OTHERS.stream()).toArray(String[]::new));
    }
  }

  @Test
  void theApiServerTakesTheFileForKubectl(Sandbox sandbox) throws IOException {
    sandbox.kubectl("create", "namespace", "muster-system");
    try {
      assertTaken(sandbox, Path.of("install/muster.yaml"));
    } finally {
      sandbox.kubectl("delete", "namespace", "muster-system");
    }
  }

  /** By the API server, every object of the file; it stores none. */
  private static void assertTaken(Sandbox sandbox, Path file) throws IOException {
    var taken =
        sandbox
            .kubectl(
                "apply",
                "--server-side",
                "--force-conflicts",
                "--dry-run=server",
                "--validate=strict",
                "-f",
                file.toAbsolutePath().toString())
            .lines()
            .toList();
    assertThat(taken)
        .as("%s", file)
        .hasSameSizeAs(ChartRendering.documents(Files.readString(file)))
        .allMatch(line -> line.endsWith("serverside-applied (server dry run)"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"shared", "second", "affinity"})
  void theNotesSayWhatIsLeftToDo(String mode, Sandbox sandbox, TestSpace space) {
    var arguments =
        new ArrayList<>(arguments("install", "muster", space, List.of("mode=\"" + mode + "\"")));
    arguments.add("--dry-run=server");
    var said = helm(sandbox).output(arguments);
    var notes = said.substring(said.indexOf("NOTES:\n") + "NOTES:\n".length());
    Golden.holds(
        Path.of("src/test/resources/chart/notes-%s.txt".formatted(mode)),
        notes.replace(space.namespace(), "muster-system").strip() + "\n");
  }

  @Test
  void podSecurityRestrictedTakesThePods(Sandbox sandbox, TestSpace space) throws IOException {
    sandbox.kubectl(
        "label",
        "namespace",
        space.namespace(),
        "pod-security.kubernetes.io/enforce=restricted",
        "pod-security.kubernetes.io/enforce-version=latest");
    var admitted = new TreeSet<String>();
    for (var values :
        List.of(ValueSets.EVERYTHING, List.of("mode=\"second\"", ValueSets.ALL_KINDS.getFirst()))) {
      for (var object : rendered(sandbox, space, values)) {
        if (ChartRendering.pod(object).has("containers")
            && !object.path("kind").asText().equals("DaemonSet")) {
          create(sandbox, object);
          admitted.add(ChartRendering.name(object).replace(space.namespace() + "/", ""));
        }
      }
    }
    assertThat(admitted)
        .containsExactly(
            "Deployment muster",
            "Deployment muster-board",
            "Deployment muster-scheduler",
            "Job muster-uninstall",
            "Pod muster-doctor");

    // The one that mounts a folder of its node is what the value's comment says.
    var files =
        rendered(sandbox, space, ValueSets.EVERYTHING).stream()
            .filter(object -> object.path("kind").asText().equals("DaemonSet"))
            .findFirst()
            .orElseThrow();
    assertThatThrownBy(() -> create(sandbox, files))
        .isInstanceOf(SandboxException.class)
        .hasMessageContaining("violates PodSecurity \"restricted:latest\"");
  }

  private static List<JsonNode> rendered(Sandbox sandbox, TestSpace space, List<String> values) {
    return ChartRendering.documents(
        helm(sandbox).output(ChartRendering.template(space.namespace(), values)));
  }

  /** The pod that the object makes, which is not stored. */
  private void create(Sandbox sandbox, JsonNode object) throws IOException {
    var pod = JSON.createObjectNode().put("apiVersion", "v1").put("kind", "Pod");
    pod.putObject("metadata")
        .put("name", object.path("metadata").path("name").asText())
        .put("namespace", object.path("metadata").path("namespace").asText());
    pod.set("spec", ChartRendering.pod(object));
    // Depends on a label that its controller gives.
    ((ObjectNode) pod.path("spec")).remove(List.of("affinity", "topologySpreadConstraints"));
    var file = folder.resolve("pod.json");
    JSON.writeValue(file.toFile(), pod);
    sandbox.kubectl("create", "--dry-run=server", "-f", file.toString());
  }

  @Test
  void anInstallationIsUpgradedAndLeavesNothingButDefinitions(Sandbox sandbox, TestSpace space) {
    var helm = helm(sandbox);
    Await.until(
        "the namespace to be complete",
        SOON,
        () -> {
          var there = objects(sandbox, space);
          return there.contains("ServiceAccount %s/default".formatted(space.namespace()))
              && there.contains("ConfigMap %s/kube-root-ca.crt".formatted(space.namespace()));
        });
    var before = objects(sandbox, space);

    install(helm, "install", space, ValueSets.ALL_KINDS);
    assertThat(objects(sandbox, space))
        .contains(
            "Deployment.apps %s/muster".formatted(space.namespace()),
            "ClusterRole.rbac.authorization.k8s.io muster-paddle");
    assertThat(sizeOfRelease(sandbox, space)).isLessThan(MOST_OF_A_RELEASE);
    var role = uid(sandbox);

    // A cluster has one Muster: another release is refused, and the first one stays as it is.
    var installed = objects(sandbox, space);
    var other = helm.run(arguments("install", "other", space, List.of()));
    assertThat(other.exitCode()).isNotZero();
    assertThat(other.output()).contains("exists and cannot be imported", "\"muster\"");
    assertThat(settled(objects(sandbox, space))).isEqualTo(settled(installed));

    install(helm, "upgrade", space, List.of("mode=\"second\"", "jobKinds={\"di\":true}"));
    assertThat(objects(sandbox, space))
        .contains("Deployment.apps %s/muster-scheduler".formatted(space.namespace()))
        .doesNotContain("ClusterRole.rbac.authorization.k8s.io muster-paddle")
        // Jobs of the kind may be there.
        .contains(
            "CustomResourceDefinition.apiextensions.k8s.io trainingjobs.paddlepaddle.org",
            "Namespace paddlecloud");
    helm.output(List.of("rollback", "muster", "1", "-n", space.namespace(), "--no-hooks"));
    assertThat(objects(sandbox, space))
        .contains("ClusterRole.rbac.authorization.k8s.io muster-paddle")
        .doesNotContain("Deployment.apps %s/muster-scheduler".formatted(space.namespace()));
    // What Muster has registered goes with this very object.
    assertThat(uid(sandbox)).isEqualTo(role);

    uninstall(helm, space);
    awaitNothingButDefinitions(sandbox, space, before);

    // And comes again over what was kept, which an earlier version may have made.
    var definition =
        sandbox
            .client()
            .apiextensions()
            .v1()
            .customResourceDefinitions()
            .withName("gangs.muster.io");
    var columns = definition.get().getSpec().getVersions().getFirst().getAdditionalPrinterColumns();
    definition.edit(found -> {
      found.getSpec().getVersions().getFirst().setAdditionalPrinterColumns(List.of());
      return found;
    });
    var again = new ArrayList<>(arguments("install", "muster", space, ValueSets.ALL_KINDS));
    again.add("--take-ownership");
    helm.output(again);
    assertThat(definition.get().getSpec().getVersions().getFirst().getAdditionalPrinterColumns())
        .isNotEmpty()
        .isEqualTo(columns);
    uninstall(helm, space);
    awaitNothingButDefinitions(sandbox, space, before);
  }

  private static void awaitNothingButDefinitions(
      Sandbox sandbox, TestSpace space, Set<String> before) {
    var last = new TreeSet<String>();
    boolean isClean =
        Await.within(
            SOON,
            () -> {
              last.clear();
              last.addAll(objects(sandbox, space));
              last.removeAll(before);
              last.removeIf(ChartInstallIT::isToStay);
              return last.isEmpty();
            });
    assertThat(isClean).as("left: %s", last).isTrue();
    assertThat(
            objects(sandbox, space).stream()
                .filter(ChartInstallIT::isToStay)
                .filter(object -> !before.contains(object)))
        .hasSize(9 + OTHERS.size() * 3);
  }

  /** Definitions, and namespaces of other communities with what every namespace has. */
  private static boolean isToStay(String object) {
    return object.startsWith("CustomResourceDefinition.")
        || OTHERS.stream()
            .anyMatch(name ->
                object.equals("Namespace " + name)
                    || object.equals("ServiceAccount %s/default".formatted(name))
                    || object.equals("ConfigMap %s/kube-root-ca.crt".formatted(name)));
  }

  private static Helm helm(Sandbox sandbox) {
    return Helm.findOrBuild(Layout.current()).on(sandbox.state().kubeconfig());
  }

  private static void install(Helm helm, String verb, TestSpace space, List<String> values) {
    helm.output(arguments(verb, "muster", space, values));
  }

  private static List<String> arguments(
      String verb, String release, TestSpace space, List<String> values) {
    return Stream.of(
            Stream.of(verb, release, ChartRendering.CHART.toString(), "-n", space.namespace()),
            values.stream().flatMap(value -> Stream.of("--set-json", value)),
            // Not to wait for pods of the uninstallation.
            Stream.of("--no-hooks"))
        .flatMap(part -> part)
        .toList();
  }

  private static void uninstall(Helm helm, TestSpace space) {
    helm.output(List.of("uninstall", "muster", "-n", space.namespace(), "--no-hooks"));
  }

  private static String uid(Sandbox sandbox) {
    return sandbox.client().rbac().clusterRoles().withName("muster").get().getMetadata().getUid();
  }

  private static int sizeOfRelease(Sandbox sandbox, TestSpace space) {
    return sandbox
        .client()
        .secrets()
        .inNamespace(space.namespace())
        .withName("sh.helm.release.v1.muster.v1")
        .get()
        .getData()
        .get("release")
        .length();
  }

  /**
   * All there are, such as {@code Role.rbac.authorization.k8s.io ns/name}, but what comes and goes
   * by itself.
   */
  private static Set<String> objects(Sandbox sandbox, TestSpace space) {
    var kinds =
        sandbox
            .kubectl("api-resources", "--verbs=list,delete", "-o", "name")
            .lines()
            .filter(kind -> !kind.matches("(events|leases|nodes|csinodes|apiservices)(\\..*)?"))
            .collect(Collectors.joining(","));
    return sandbox
        .kubectl(
            "get",
            kinds,
            "-A",
            "--ignore-not-found",
            "-o",
            "go-template={{range .items}}{{.kind}} {{.apiVersion}} {{.metadata.namespace}} {{.metadata.name}}{{\"\\n\"}}{{end}}")
        .lines()
        .map(line -> line.split(" "))
        .map(parts ->
            "%s%s %s%s"
                .formatted(
                    parts[0],
                    parts[1].contains("/") ? "." + parts[1].replaceAll("/.*", "") : "",
                    parts[2].equals("<no") ? "" : parts[2] + "/",
                    parts[parts.length - 1]))
        .filter(object -> isOfNoOtherTest(object, space))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** The namespace of the test before may still be going, and all that is in it. */
  private static boolean isOfNoOtherTest(String object, TestSpace space) {
    return !object.matches("\\S+ t-.*") || object.contains(" " + space.namespace());
  }

  /** Without what the controllers make of a Deployment or a Service meanwhile. */
  private static Set<String> settled(Set<String> objects) {
    return objects.stream()
        .filter(object ->
            !object.matches("(Pod|ReplicaSet|EndpointSlice|Endpoints|ControllerRevision)[. ].*"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void theHooksAccountsHaveTheRightsThatTheirCommandsUse(Sandbox sandbox, TestSpace space)
      throws IOException, InterruptedException {
    var helm = helm(sandbox);
    // Nothing else is to be found where the command looks.
    install(helm, "install", space, List.of());
    var hooks =
        ChartRendering.documents(helm.output(ChartRendering.template(space.namespace(), List.of())))
            .stream()
            .filter(object -> object.path("metadata").path("annotations").has("helm.sh/hook"))
            .filter(object -> !ChartRendering.pod(object).has("containers"))
            .toList();
    assertThat(hooks).hasSize(10);
    var file = folder.resolve("hooks.json");
    JSON.writeValue(file.toFile(), Map.of("apiVersion", "v1", "kind", "List", "items", hooks));
    sandbox.kubectl("apply", "-f", file.toString());
    try {
      doctorReadsEverything(sandbox, space);
      gatesAreTakenOffAndTheDeploymentStops(sandbox, space);
    } finally {
      sandbox.kubectl("delete", "-f", file.toString());
      uninstall(helm, space);
    }
  }

  private void doctorReadsEverything(Sandbox sandbox, TestSpace space)
      throws IOException, InterruptedException {
    var settings = folder.resolve("muster.yaml");
    Files.writeString(
        settings,
        sandbox
            .client()
            .configMaps()
            .inNamespace(space.namespace())
            .withName("muster-config")
            .get()
            .getData()
            .get("muster.yaml"));
    var said =
        as(sandbox, space, "muster-doctor")
            .run("doctor", "--config", settings.toString(), "-o", "json")
            .said();
    var findings = JSON.readTree(said).path("findings");
    assertThat(findings.size()).isGreaterThan(8);
    assertThat(findings.findValuesAsText("evidence"))
        .noneMatch(evidence -> evidence.contains("forbidden") || evidence.contains("may not"));
    // The account that the chart makes has all that Muster asks for.
    assertThat(said)
        .contains("system:serviceaccount:%s:muster has all".formatted(space.namespace()));
  }

  private void gatesAreTakenOffAndTheDeploymentStops(Sandbox sandbox, TestSpace space)
      throws IOException, InterruptedException {
    space.nodes(1, NodeShape.CPU);
    var client = space.client();
    client
        .pods()
        .inNamespace(space.namespace())
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withName("gated")
                .endMetadata()
                .withNewSpec()
                .addNewSchedulingGate("muster.io/gang")
                .withNodeSelector(Map.of("no", "node"))
                .addNewContainer()
                .withName("main")
                .withImage("none")
                .withNewResources()
                .withRequests(Map.of("muster.io/gang-member", new Quantity("1")))
                .withLimits(Map.of("muster.io/gang-member", new Quantity("1")))
                .endResources()
                .endContainer()
                .endSpec()
                .build())
        .create();

    var said = uninstalled(sandbox, space);

    assertThat(said)
        .contains(
            "gates taken off: 1", "nodes now offer muster.io/gang-member", "Muster has stopped");
    var deployment =
        client.apps().deployments().inNamespace(space.namespace()).withName("muster").get();
    assertThat(deployment.getSpec().getReplicas()).isZero();
    assertThat(
            client
                .pods()
                .inNamespace(space.namespace())
                .withName("gated")
                .get()
                .getSpec()
                .getSchedulingGates())
        .isEmpty();
    client.pods().inNamespace(space.namespace()).withName("gated").delete();

    // Whoever has deleted it by hand may still uninstall the rest.
    client.resource(deployment).delete();
    assertThat(uninstalled(sandbox, space)).contains("gates taken off: 0", "Muster has stopped");
  }

  private String uninstalled(Sandbox sandbox, TestSpace space)
      throws IOException, InterruptedException {
    return as(sandbox, space, "muster-uninstall")
        .said("uninstall", "--drain", "--deployment", "muster", "--force", "-n", space.namespace());
  }

  private MusterCommand as(Sandbox sandbox, TestSpace space, String account) throws IOException {
    var token = sandbox.kubectl("create", "token", account, "-n", space.namespace()).strip();
    var file = folder.resolve(account + ".kubeconfig");
    Files.writeString(file, sandbox.kubeconfig(sandbox.server(), token));
    return new MusterCommand(sandbox).as(file);
  }
}
