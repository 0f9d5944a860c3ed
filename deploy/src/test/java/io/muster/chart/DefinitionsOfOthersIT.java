package io.muster.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceValidation;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaPropsBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.deploy.install.InstallFiles;
import io.muster.e2e.MusterCommand;
import io.muster.sandbox.Await;
import io.muster.sandbox.BareSandbox;
import io.muster.sandbox.Helm;
import io.muster.sandbox.Layout;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Muster is installed over the definitions of other operators, under which jobs are stored and run.
 * The definitions have the names and versions of theirs and check nothing, so whatever theirs let
 * in may be stored.
 */
@Tag("long")
@BareSandbox
@ExtendWith(SandboxExtension.class)
final class DefinitionsOfOthersIT {

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Path EXAMPLES = Layout.current().deploy().resolveSibling("examples");
  private static final JsonMapper JSON = new JsonMapper();

  /** The job of each community, and the definition of its kind. */
  private static final Map<String, String> JOBS =
      new TreeMap<>(
          Map.of(
              "et-operator/training_job.yaml", "trainingjobs.kai.alibabacloud.com",
              "dlrover/torch-mnist-gang.yaml", "elasticjobs.elastic.iml.github.io",
              "di-orchestrator/dijob-qbert.yaml", "dijobs.diengine.opendilab.org",
              "paddle-edl/examplejob.yaml", "trainingjobs.paddlepaddle.org"));

  @TempDir private Path folder;

  @Test
  void jobsUnderThemStayAsTheyAreAndRunOn(Sandbox sandbox, TestSpace space)
      throws IOException, InterruptedException {
    var helm = Helm.findOrBuild(Layout.current()).on(sandbox.state().kubeconfig());
    space.nodes(1, NodeShape.GPU8);
    bringTheirDefinitions(sandbox);
    try {
      var jobs = new ArrayList<String>();
      for (var job : JOBS.entrySet()) {
        jobs.add(runningJob(sandbox, space, job.getKey(), job.getValue()));
      }
      Await.until("the pods of the jobs to run", SOON, () -> pods(space).size() == jobs.size());
      var before = stored(sandbox, space, jobs);
      var pods = pods(space);

      var findings = beforeInstall(sandbox, 0);
      assertThat(findings.findValuesAsText("check"))
          .containsAll(JOBS.values().stream().map(name -> "before-install." + name).toList())
          .doesNotContain("before-install.gangs.muster.io");
      assertThat(findings.findValuesAsText("evidence"))
          .filteredOn(evidence -> evidence.contains(", with 1 objects, which fit;"))
          .hasSize(jobs.size())
          .allMatch(evidence ->
              evidence.startsWith("there already, of whoever writes as their-operator"));

      var refused = helm.run(install(space));
      assertThat(refused.exitCode()).isNotZero();
      assertThat(refused.output()).contains("invalid ownership metadata");
      var taking = new ArrayList<>(install(space));
      taking.add("--take-ownership");
      helm.output(taking);

      for (var definition : JOBS.values()) {
        var now = definition(sandbox, definition);
        assertThat(now.getMetadata().getAnnotations())
            .containsEntry("meta.helm.sh/release-name", "muster");
        assertThat(now.getSpec().getVersions())
            .allMatch(version ->
                version.getSchema().getOpenAPIV3Schema().getProperties().containsKey("spec"));
      }
      var after = stored(sandbox, space, jobs);
      for (var job : jobs) {
        assertThat(after.get(job).path("metadata")).isEqualTo(before.get(job).path("metadata"));
        assertStays(job, before.get(job), after.get(job));
      }
      assertThat(pods(space)).isEqualTo(pods);
      // And whoever runs them may go on writing to them.
      for (var job : jobs) {
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
          .hasSize(jobs.size())
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
    bringTheirDefinitions(sandbox);
    try {
      var job = job(space, "et-operator/training_job.yaml");
      ((ObjectNode) job.path("spec")).put("fieldOfTheirs", 1).put("slotsPerWorker", "many");
      create(sandbox, job);

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

  /** Every value passes, every field is kept, and there is a status of its own. */
  private static CustomResourceDefinition open(CustomResourceDefinition ours) {
    var open =
        new CustomResourceValidation(
            new JSONSchemaPropsBuilder()
                .withType("object")
                .withXKubernetesPreserveUnknownFields(true)
                .build());
    var theirs =
        new CustomResourceDefinitionBuilder()
            .withNewMetadata()
            .withName(ours.getMetadata().getName())
            .endMetadata()
            .withNewSpec()
            .withGroup(ours.getSpec().getGroup())
            .withScope("Namespaced")
            .withNames(ours.getSpec().getNames())
            .withVersions(ours.getSpec().getVersions())
            .endSpec()
            .build();
    theirs
        .getSpec()
        .getVersions()
        .forEach(version -> {
          version.setSchema(open);
          version.setAdditionalPrinterColumns(List.of());
          version.getSubresources().setScale(null);
        });
    return theirs;
  }

  private void bringTheirDefinitions(Sandbox sandbox) throws IOException {
    var theirs =
        InstallFiles.definitions().stream()
            .filter(ours -> !ours.getMetadata().getName().equals(InstallFiles.GANGS))
            .filter(ours -> ours.getSpec().getVersions().getFirst().getSubresources() != null)
            .map(DefinitionsOfOthersIT::open)
            .toList();
    assertThat(theirs.stream().map(each -> each.getMetadata().getName()))
        .containsAll(JOBS.values());
    var file = folder.resolve("theirs.yaml");
    Files.writeString(
        file, String.join("---\n", theirs.stream().map(Serialization::asYaml).toList()));
    sandbox.kubectl(
        "apply", "--server-side", "--field-manager=their-operator", "-f", file.toString());
    sandbox.kubectl("wait", "--for=condition=Established", "--timeout=30s", "-f", file.toString());
  }

  private static void takeAway(Sandbox sandbox) {
    var names =
        InstallFiles.definitions().stream().map(each -> each.getMetadata().getName()).toList();
    sandbox.kubectl(
        Stream.concat(Stream.of("delete", "crd", "--ignore-not-found"), names.stream())
            .toArray(String[]::new));
    sandbox.kubectl("delete", "namespace", "-l", "app.kubernetes.io/managed-by=Helm");
  }

  private static JsonNode job(TestSpace space, String example) throws IOException {
    var job = new YAMLMapper().readTree(EXAMPLES.resolve(example).toFile());
    ((ObjectNode) job.path("metadata")).put("namespace", space.namespace());
    return job;
  }

  private void create(Sandbox sandbox, JsonNode object) throws IOException {
    var file = folder.resolve("object.json");
    JSON.writeValue(file.toFile(), object);
    sandbox.kubectl("create", "-f", file.toString());
  }

  /** With a pod, as its operator has made it. */
  private String runningJob(Sandbox sandbox, TestSpace space, String example, String definition)
      throws IOException {
    var job = job(space, example);
    create(sandbox, job);
    var name = definition + "/" + job.path("metadata").path("name").asText();
    sandbox.kubectl(
        "patch",
        name,
        "-n",
        space.namespace(),
        "--subresource=status",
        "--type=merge",
        "-p",
        "{\"status\":{\"phase\":\"Running\"}}");
    var uid =
        sandbox.kubectl("get", name, "-n", space.namespace(), "-o", "jsonpath={.metadata.uid}");
    space
        .client()
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withName(job.path("metadata").path("name").asText() + "-0")
                .withNamespace(space.namespace())
                .addNewOwnerReference()
                .withApiVersion(job.path("apiVersion").asText())
                .withKind(job.path("kind").asText())
                .withName(job.path("metadata").path("name").asText())
                .withUid(uid)
                .withController(true)
                .endOwnerReference()
                .endMetadata()
                .withNewSpec()
                .addNewContainer()
                .withName("main")
                .withImage("none")
                .endContainer()
                .endSpec()
                .build())
        .create();
    return name;
  }

  /** Uid by name of the jobs' pods that run; those of the chart's Deployment are not meant. */
  private static Map<String, String> pods(TestSpace space) {
    var running = new TreeMap<String, String>();
    for (var pod : space.client().pods().inNamespace(space.namespace()).list().getItems()) {
      if (pod.getStatus().getPhase().equals("Running")
          && pod.getMetadata().getDeletionTimestamp() == null
          && pod.getMetadata().getOwnerReferences().stream()
              .anyMatch(owner -> owner.getKind().endsWith("Job"))) {
        running.put(pod.getMetadata().getName(), pod.getMetadata().getUid());
      }
    }
    return running;
  }

  /** Each job as it is read, its version included. */
  private static Map<String, JsonNode> stored(Sandbox sandbox, TestSpace space, List<String> jobs)
      throws IOException {
    var stored = new TreeMap<String, JsonNode>();
    for (var job : jobs) {
      var read = JSON.readTree(sandbox.kubectl("get", job, "-n", space.namespace(), "-o", "json"));
      // The version under which it is read is whichever the definition prefers.
      ((ObjectNode) read).remove("apiVersion");
      stored.put(job, read);
    }
    return stored;
  }

  /** What is read has all that was read before; the API server fills in defaults beside it. */
  private static void assertStays(String path, JsonNode before, JsonNode after) {
    if (before.isObject() && after.isObject()) {
      before
          .properties()
          .forEach(field ->
              assertStays(
                  path + "." + field.getKey(), field.getValue(), after.path(field.getKey())));
    } else if (before.isArray() && before.size() == after.size()) {
      for (int i = 0; i < before.size(); i++) {
        assertStays("%s[%d]".formatted(path, i), before.get(i), after.path(i));
      }
    } else {
      assertThat(after).as(path).isEqualTo(before);
    }
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
