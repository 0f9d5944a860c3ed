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
import io.muster.sandbox.Await;
import io.muster.sandbox.Layout;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.TestSpace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A job of each community that its own operator has started, with a pod that runs, under the
 * operator's definitions. These have the names and versions of theirs and check nothing, so
 * whatever theirs let in may be stored. Immutable.
 */
public final class TheirJobs {

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

  private final TestSpace space;
  private final List<String> names;
  private final Map<String, JsonNode> before;
  private final Map<String, String> podsBefore;

  private TheirJobs(TestSpace space, List<String> names) throws IOException {
    this.space = space;
    this.names = names;
    before = stored(space.sandbox(), space, names);
    podsBefore = pods(space);
  }

  /** The names of the definitions of the jobs. */
  static Collection<String> definitions() {
    return JOBS.values();
  }

  /** Puts their definitions into the cluster, as an operator of theirs would. */
  public static void bringDefinitions(Sandbox sandbox) throws IOException {
    var theirs =
        InstallFiles.definitions().stream()
            .filter(ours -> !ours.getMetadata().getName().equals(InstallFiles.GANGS))
            .filter(ours -> ours.getSpec().getVersions().getFirst().getSubresources() != null)
            .map(TheirJobs::open)
            .toList();
    assertThat(theirs.stream().map(each -> each.getMetadata().getName()))
        .containsAll(JOBS.values());
    var file = sandbox.state().file("theirs.yaml");
    Files.writeString(
        file, String.join("---\n", theirs.stream().map(Serialization::asYaml).toList()));
    sandbox.kubectl(
        "apply", "--server-side", "--field-manager=their-operator", "-f", file.toString());
    sandbox.kubectl("wait", "--for=condition=Established", "--timeout=30s", "-f", file.toString());
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

  /** Stores the jobs, and returns when their pods run. */
  public static TheirJobs run(TestSpace space) throws IOException {
    var names = new ArrayList<String>();
    for (var job : JOBS.entrySet()) {
      names.add(running(space.sandbox(), space, job.getKey(), job.getValue()));
    }
    Await.until("the pods of the jobs to run", SOON, () -> pods(space).size() == names.size());
    return new TheirJobs(space, List.copyOf(names));
  }

  /** Each as kubectl takes it. */
  List<String> names() {
    return names;
  }

  /** Fails unless all that was read of them is still read, and the same pods run. */
  public void assertUntouched() throws IOException {
    var after = stored(space.sandbox(), space, names);
    for (var name : names) {
      assertThat(after.get(name).path("metadata")).isEqualTo(before.get(name).path("metadata"));
      assertStays(name, before.get(name), after.get(name));
    }
    assertThat(pods(space)).isEqualTo(podsBefore);
  }

  static JsonNode example(TestSpace space, String example) throws IOException {
    var job = new YAMLMapper().readTree(EXAMPLES.resolve(example).toFile());
    ((ObjectNode) job.path("metadata")).put("namespace", space.namespace());
    return job;
  }

  static void create(Sandbox sandbox, JsonNode object) throws IOException {
    var file = sandbox.state().file("theirs.json");
    JSON.writeValue(file.toFile(), object);
    sandbox.kubectl("create", "-f", file.toString());
  }

  /** With a pod, as its operator has made it. */
  private static String running(Sandbox sandbox, TestSpace space, String example, String definition)
      throws IOException {
    var job = example(space, example);
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
                .addToNodeSelector(TestSpace.SET_LABEL, space.namespace())
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
}
