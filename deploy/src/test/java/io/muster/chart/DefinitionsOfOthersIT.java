package io.muster.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.muster.deploy.install.InstallFiles;
import io.muster.e2e.MusterCommand;
import io.muster.sandbox.BareSandbox;
import io.muster.sandbox.Helm;
import io.muster.sandbox.Layout;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Muster is installed over the definitions of other operators, under which jobs are stored. */
@Tag("long")
@BareSandbox
@ExtendWith(SandboxExtension.class)
final class DefinitionsOfOthersIT {

  private static final JsonMapper JSON = new JsonMapper();

  @Test
  void jobsUnderThemStayAsTheyAreAndRunOn(Sandbox sandbox, TestSpace space)
      throws IOException, InterruptedException {
    var helm = Helm.findOrBuild(Layout.current()).on(sandbox.state().kubeconfig());
    space.nodes(1, NodeShape.GPU8);
    TheirJobs.bringDefinitions(sandbox);
    try {
      var jobs = TheirJobs.run(space);
      var definitions = TheirJobs.definitions();

      var findings = beforeInstall(sandbox, 0);
      assertThat(findings.findValuesAsText("check"))
          .containsAll(definitions.stream().map(name -> "before-install." + name).toList())
          .doesNotContain("before-install.gangs.muster.io");
      assertThat(findings.findValuesAsText("evidence"))
          .filteredOn(evidence -> evidence.contains(", with 1 objects, which fit;"))
          .hasSize(definitions.size())
          .allMatch(evidence ->
              evidence.startsWith("there already, of whoever writes as their-operator"));

      var refused = helm.run(install(space));
      assertThat(refused.exitCode()).isNotZero();
      assertThat(refused.output()).contains("invalid ownership metadata");
      var taking = new ArrayList<>(install(space));
      taking.add("--take-ownership");
      helm.output(taking);

      for (var definition : definitions) {
        var now = definition(sandbox, definition);
        assertThat(now.getMetadata().getAnnotations())
            .containsEntry("meta.helm.sh/release-name", "muster");
        assertThat(now.getSpec().getVersions())
            .allMatch(version ->
                version.getSchema().getOpenAPIV3Schema().getProperties().containsKey("spec"));
      }
      jobs.assertUntouched();
      // And whoever runs them may go on writing to them.
      for (var job : jobs.names()) {
        sandbox.kubectl("annotate", job, "-n", space.namespace(), "example.org/note=seen");
        sandbox.kubectl(
            "patch",
            job,
            "-n",
            space.namespace(),
            "--subresource=status",
            "--type=merge",
            "-p",
            "{\"status\":{\"phase\":\"Succeeded\"}}");
      }
      assertThat(beforeInstall(sandbox, 0).findValuesAsText("evidence"))
          .filteredOn(evidence -> evidence.contains(", with 1 objects, which fit;"))
          .hasSize(definitions.size())
          .allMatch(evidence ->
              evidence.startsWith(
                  "there already, of Helm release %s/muster".formatted(space.namespace())));
    } finally {
      helm.run(List.of("uninstall", "muster", "-n", space.namespace(), "--no-hooks"));
      takeAway(sandbox);
    }
  }

  @Test
  void whatWouldBeLostIsNamedBefore(Sandbox sandbox, TestSpace space)
      throws IOException, InterruptedException {
    TheirJobs.bringDefinitions(sandbox);
    try {
      var job = TheirJobs.example(space, "et-operator/training_job.yaml");
      ((ObjectNode) job.path("spec")).put("fieldOfTheirs", 1).put("slotsPerWorker", "many");
      TheirJobs.create(sandbox, job);

      var findings = beforeInstall(sandbox, 1);

      assertThat(findings.findValuesAsText("evidence"))
          .anyMatch(evidence ->
              evidence.contains(
                  "with 1 objects; fields that this version does not keep: %s/elastic-training .spec.fieldOfTheirs"
                      .formatted(space.namespace())));
    } finally {
      takeAway(sandbox);
    }
  }

  private static void takeAway(Sandbox sandbox) {
    var names =
        InstallFiles.definitions().stream().map(each -> each.getMetadata().getName()).toList();
    sandbox.kubectl(
        Stream.concat(Stream.of("delete", "crd", "--ignore-not-found"), names.stream())
            .toArray(String[]::new));
    sandbox.kubectl("delete", "namespace", "-l", "app.kubernetes.io/managed-by=Helm");
  }

  private static CustomResourceDefinition definition(Sandbox sandbox, String name) {
    return sandbox.client().apiextensions().v1().customResourceDefinitions().withName(name).get();
  }

  private static JsonNode beforeInstall(Sandbox sandbox, int code)
      throws IOException, InterruptedException {
    var ran = new MusterCommand(sandbox).run("doctor", "--before-install", "-o", "json");
    assertThat(ran.code()).as(ran.said()).isEqualTo(code);
    return JSON.readTree(ran.said()).path("findings");
  }

  private static List<String> install(TestSpace space) {
    return List.of(
        "install",
        "muster",
        ChartRendering.CHART.toString(),
        "-n",
        space.namespace(),
        "--set-json",
        ValueSets.ALL_KINDS.getFirst(),
        "--no-hooks");
  }
}
