package io.muster.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.muster.extender.kube.shadow.LedgerObject;
import io.muster.sandbox.Await;
import io.muster.sandbox.BareSandbox;
import io.muster.sandbox.Helm;
import io.muster.sandbox.Layout;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the examples for Argo CD and Flux apply, at a real API server. Argo CD applies what helm
 * renders, all but hooks; Flux installs it as helm does.
 */
@Tag("long")
@BareSandbox
@ExtendWith(SandboxExtension.class)
final class GitOpsIT {

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Path EXAMPLES =
      Layout.current().deploy().resolveSibling("examples").resolve("gitops");
  private static final JsonMapper JSON = new JsonMapper();

  /** Kinds of which Muster makes objects by itself, whatever their names. */
  private static final Set<String> MUSTERS_OWN =
      Set.of(
          "Secret",
          "EndpointSlice",
          "MutatingWebhookConfiguration",
          "ValidatingAdmissionPolicy",
          "ValidatingAdmissionPolicyBinding");

  @TempDir private Path folder;

  static Stream<Arguments> examples() throws IOException {
    var argo = documents("argo-cd.yaml", "Application").path("spec");
    var flux = documents("flux.yaml", "HelmRelease").path("spec");
    assertThat(argo.path("syncPolicy").path("syncOptions").valueStream().map(JsonNode::asText))
        .contains("ServerSideApply=true");
    assertThat(flux.path("install").path("crds").asText()).isEqualTo("Skip");
    assertThat(argo.path("source").path("path"))
        .isEqualTo(flux.path("chart").path("spec").path("chart"));
    return Stream.of(
        Arguments.of(
            "argocd-controller",
            argo.path("source").path("path").asText(),
            argo.path("source").path("helm").path("valuesObject")),
        Arguments.of(
            "helm-controller",
            flux.path("chart").path("spec").path("chart").asText(),
            flux.path("values")));
  }

  private static JsonNode documents(String file, String kind) throws IOException {
    return ChartRendering.documents(Files.readString(EXAMPLES.resolve(file))).stream()
        .filter(object -> object.path("kind").asText().equals(kind))
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @MethodSource("examples")
  void aSecondApplyChangesNothing(
      String manager, String chart, JsonNode values, Sandbox sandbox, TestSpace space)
      throws IOException {
    var objects = rendered(sandbox, space, chart, values);
    assertThat(objects.size()).isGreaterThan(15);
    assertThat(objects.stream().map(object -> object.path("kind").asText()))
        .doesNotContainAnyElementsOf(MUSTERS_OWN);
    assertThat(objects.stream().map(ChartRendering::name))
        .doesNotContain(
            "Lease %s/muster".formatted(space.namespace()),
            "ConfigMap %s/%s".formatted(space.namespace(), LedgerObject.NAME));
    var file = folder.resolve("rendered.json");
    JSON.writeValue(file.toFile(), Map.of("apiVersion", "v1", "kind", "List", "items", objects));
    try {
      apply(sandbox, manager, file);
      // The second kube-scheduler writes into its Lease, which the chart brings empty.
      sandbox.kubectl(
          "patch",
          "lease",
          "muster-scheduler",
          "-n",
          space.namespace(),
          "--type=merge",
          "-p",
          "{\"spec\":{\"holderIdentity\":\"somebody\"}}");
      var versions = settled(sandbox, file);
      apply(sandbox, manager, file);

      assertThat(versions(sandbox, file)).hasSameSizeAs(objects).isEqualTo(versions);
    } finally {
      sandbox.kubectl("delete", "--ignore-not-found", "-f", file.toString());
    }
  }

  private List<JsonNode> rendered(Sandbox sandbox, TestSpace space, String chart, JsonNode values)
      throws IOException {
    var given = folder.resolve("values.yaml");
    new YAMLMapper().writeValue(given.toFile(), values);
    var text =
        Helm.findOrBuild(Layout.current())
            .on(sandbox.state().kubeconfig())
            .output(
                List.of(
                    "template",
                    "muster",
                    Layout.current().deploy().resolveSibling(chart).toString(),
                    "--namespace",
                    space.namespace(),
                    "--include-crds",
                    "-f",
                    given.toString()));
    return ChartRendering.documents(text).stream()
        .filter(object -> !object.path("metadata").path("annotations").has("helm.sh/hook"))
        .toList();
  }

  private static void apply(Sandbox sandbox, String manager, Path file) {
    sandbox.kubectl("apply", "--server-side", "--field-manager", manager, "-f", file.toString());
  }

  /** Once controllers have written what they write into new objects. */
  private static Map<String, String> settled(Sandbox sandbox, Path file) {
    var last = new TreeMap<String, String>();
    Await.until(
        "the objects to stay as they are for three readings",
        SOON,
        () -> {
          for (int reading = 0; reading < 3; reading++) {
            var now = versions(sandbox, file);
            if (!now.equals(last)) {
              last.clear();
              last.putAll(now);
              return false;
            }
          }
          return true;
        });
    return last;
  }

  private static Map<String, String> versions(Sandbox sandbox, Path file) {
    return sandbox
        .kubectl(
            "get",
            "-f",
            file.toString(),
            "-o",
            "go-template={{range .items}}{{.kind}}/{{.metadata.namespace}}/{{.metadata.name}}"
                + " {{.metadata.resourceVersion}}{{\"\\n\"}}{{end}}")
        .lines()
        .map(line -> line.split(" (?=\\S+$)"))
        .collect(
            Collectors.toMap(parts -> parts[0], parts -> parts[1], (one, _) -> one, TreeMap::new));
  }
}
