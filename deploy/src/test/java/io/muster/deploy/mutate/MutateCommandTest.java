package io.muster.deploy.mutate;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

final class MutateCommandTest {

  private static final Path FIXTURES =
      Path.of("..", "webhook", "src", "test", "resources", "injection");
  private static final String GPU_CONTAINERS =
      "containers: [{name: main, image: i, resources: {limits: {nvidia.com/gpu: 1}}}]";

  @TempDir Path folder;

  /** How a run ended. */
  private record Run(int code, String out, String err) {

    List<JsonNode> documents() throws IOException {
      var documents = new ArrayList<JsonNode>();
      try (var read = new YAMLMapper().readerFor(JsonNode.class).<JsonNode>readValues(out)) {
        read.forEachRemaining(documents::add);
      }
      return documents;
    }
  }

  private static Run run(String... arguments) {
    var out = new StringWriter();
    var err = new StringWriter();
    var line =
        new CommandLine(new MutateCommand())
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true));
    int code = line.execute(arguments);
    return new Run(code, out.toString(), err.toString());
  }

  private String file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  @Test
  void printsPodsAsTheyWouldBeStored() throws IOException {
    var pod = FIXTURES.resolve("rendezvous-torchrun-static").resolve("pod.yaml");

    var run = run("-f", pod.toString());

    assertThat(run.code()).isZero();
    assertThat(run.err()).isEmpty();
    var stored = run.documents().getFirst();
    assertThat(stored.at("/metadata/namespace").asText()).isEqualTo("default");
    assertThat(stored.at("/spec/subdomain").asText()).isEqualTo("muster-train");
    assertThat(stored.at("/spec/containers/0/env").findValuesAsText("name"))
        .contains("NODE_RANK", "PET_MASTER_ADDR", "NCCL_DEBUG");
  }

  @Test
  void saysForEachEditWhichRuleOfWhichProfileAsksForItAndWhy() throws IOException {
    var profiles = file("profiles.yaml", "profiles: [{name: mine, env: [{name: A, value: b}]}]");
    var pod =
        file(
            "pod.yaml",
            "{kind: Pod, metadata: {name: p, annotations: {muster.io/profiles: mine}}, spec: {"
                + GPU_CONTAINERS
                + "}}");

    var run = run("-f", pod, "--profiles", profiles, "-o", "explain");

    assertThat(run.out())
        .startsWith("Pod/p\n")
        .contains(
            "  add /spec/containers/0/env/2 {\"name\":\"A\",\"value\":\"b\"}\n"
                + "    profile mine, rule communication: ")
        .contains("    profile default, rule shm: 64 MiB of shared memory");
  }

  @Test
  void findsTemplatesOfAnyWorkload() throws IOException {
    var template = "template: {metadata: {labels: {a: b}}, spec: {" + GPU_CONTAINERS + "}}";
    var manifests =
        """
        kind: List
        items:
        - {kind: Deployment, metadata: {name: web}, spec: {%1$s}}
        - {kind: CronJob, metadata: {name: night}, spec: {jobTemplate: {spec: {%1$s}}}}
        ---
        {kind: PyTorchJob, metadata: {name: ddp}, spec: {pytorchReplicaSpecs: {Worker: {%1$s}}}}
        ---
        {kind: JobSet, metadata: {name: set}, spec: {replicatedJobs: [{template: {spec: {%1$s}}}]}}
        ---
        {kind: LeaderWorkerSet, metadata: {name: lws}, spec: {leaderWorkerTemplate: {workerTemplate: {spec: {%2$s}}}}}
        ---
        {kind: Job, metadata: {name: job, namespace: ml}, spec: {completionMode: Indexed, %1$s}}
        """
            .formatted(template, GPU_CONTAINERS);

    var run = run("-f", file("all.yaml", manifests));

    assertThat(run.code()).isZero();
    assertThat(run.out().lines().filter(line -> line.startsWith("# ")))
        .containsExactly(
            "# Deployment/web spec.template",
            "# CronJob/night spec.jobTemplate.spec.template",
            "# PyTorchJob/ddp spec.pytorchReplicaSpecs.Worker.template",
            "# JobSet/set spec.replicatedJobs[0].template.spec.template, index 0",
            "# LeaderWorkerSet/lws spec.leaderWorkerTemplate.workerTemplate",
            "# Job/job spec.template, index 0");
    assertThat(run.documents())
        .hasSize(6)
        .allMatch(pod -> pod.at("/metadata/annotations").has("muster.io/injected"));
    var member = run.documents().getLast();
    assertThat(member.at("/metadata/namespace").asText()).isEqualTo("ml");
    assertThat(member.at("/spec/hostname").asText()).isEqualTo("job-0");
  }

  private static final String RANKED =
      "template: {metadata: {annotations: {muster.io/gang-name: g, muster.io/gang-min: \"4\","
          + " muster.io/rendezvous-profile: torchrun-static}}, spec: {%s}}"
              .formatted(GPU_CONTAINERS);

  /** None warns that the first member cannot be found. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{kind: Job, metadata: {name: j}, spec: {completionMode: Indexed, RANKED}} | j-0 | muster-g",
        "{kind: Job, metadata: {generateName: j-}, spec: {completionMode: Indexed, RANKED}} |"
            + " j-xxxxx-0 | muster-g",
        "{kind: CronJob, metadata: {name: c}, spec: {jobTemplate: {spec: {completionMode: Indexed,"
            + " RANKED}}}} | c-0 | muster-g",
        "{kind: JobSet, metadata: {name: s}, spec: {replicatedJobs: [{name: w, template: {spec:"
            + " {completionMode: Indexed, RANKED}}}]}} | s-w-0-0 | s",
        "{kind: JobSet, metadata: {name: s}, spec: {network: {subdomain: net}, replicatedJobs:"
            + " [{name: w, template: {spec: {RANKED}}}]}} | s-w-0-0 | net",
      })
  void podsOfIndexedJobsAreFoundByTheirPositions(String manifest, String host, String domain)
      throws IOException {
    var run = run("-f", file("job.yaml", manifest.replace("RANKED", RANKED)));

    assertThat(run.err()).isEmpty();
    var member = run.documents().getFirst();
    assertThat(member.at("/spec/hostname").asText()).isEqualTo(host);
    assertThat(member.at("/spec/subdomain").asText()).isEqualTo(domain);
    assertThat(run.out()).contains("%s.%s".formatted(host, domain));
  }

  @Test
  void theJobsOfAJobSetAreToldApart() throws IOException {
    var set =
        """
        kind: JobSet
        metadata: {name: s}
        spec:
          replicatedJobs:
          - {name: w, replicas: 2, template: {spec: {%s}}}
          - {name: x, template: {spec: {completionMode: NonIndexed, template: {spec: {%s}}}}}
        """
            .formatted(RANKED, GPU_CONTAINERS);
    var run = run("-f", file("set.yaml", set));

    var labels = run.documents().getFirst().at("/metadata/labels");
    assertThat(labels.path("jobset.sigs.k8s.io/jobset-name").asText()).isEqualTo("s");
    assertThat(labels.path("jobset.sigs.k8s.io/replicatedjob-name").asText()).isEqualTo("w");
    assertThat(labels.path("jobset.sigs.k8s.io/replicatedjob-replicas").asText()).isEqualTo("2");
    assertThat(labels.path("jobset.sigs.k8s.io/global-replicas").asText()).isEqualTo("3");
    assertThat(run.err()).as("their positions repeat").contains("torchrun-static");
    var other = run.documents().getLast();
    assertThat(other.at("/metadata/generateName").asText()).isEqualTo("s-x-0-");
    assertThat(other.at("/spec/subdomain").asText()).isEqualTo("s");
    assertThat(other.at("/spec").has("hostname")).isFalse();
  }

  @Test
  void tellsWhatWouldBeRefusedAndGoesOn() throws IOException {
    var text =
        """
        {kind: Pod, metadata: {name: bad, annotations: {muster.io/gang-name: a}}, spec: {%1$s}}
        ---
        {kind: Pod, metadata: {name: good}, spec: {%1$s}}
        """
            .formatted(GPU_CONTAINERS);

    var run = run("-f", file("two.yaml", text), "-n", "ml");

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err())
        .isEqualTo(
            "muster: Pod/bad would be refused: gang \"ml/a\": no minimum size; set"
                + " muster.io/gang-min to the fewest members that may start\n");
    assertThat(run.documents()).hasSize(1);
  }

  @Test
  void printsWarningsBesideThePod() {
    var run = run("-f", FIXTURES.resolve("gpu-init-only").resolve("pod.yaml").toString());

    assertThat(run.code()).isZero();
    assertThat(run.err()).startsWith("muster: Pod/train: warning: only init containers ask");
  }

  @Test
  void readsTheConfigMapThatHoldsProfiles() throws IOException {
    var held =
        file(
            "map.yaml",
            "{kind: ConfigMap, data: {profiles.yaml: 'profiles: [{name: default, tolerations:"
                + " false}]'}}");
    var pod = file("pod.yaml", "{kind: Pod, metadata: {name: p}, spec: {" + GPU_CONTAINERS + "}}");

    assertThat(run("-f", pod).out()).contains("tolerations");
    assertThat(run("-f", pod, "--profiles", held).out()).doesNotContain("tolerations");
  }

  @Test
  void anAliasInAConfigMapOfProfilesIsSaid() throws IOException {
    var held =
        file(
            "map.yaml",
            "{kind: ConfigMap, binaryData: &p {profiles.yaml: 'profiles: []'}, data: *p}");
    var pod = file("pod.yaml", "{kind: Pod, metadata: {name: p}, spec: {" + GPU_CONTAINERS + "}}");

    var run = run("-f", pod, "--profiles", held);

    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err())
        .isEqualTo("muster: " + held + ": line 1: an alias, *p: write out what it stands for\n");
  }

  @Test
  void badInputIsSaidInOneSentenceEach() throws IOException {
    var pod = file("pod.yaml", "{kind: Pod, spec: {containers: []}}");
    var profiles = file("profiles.yaml", "profiles: [{name: x, tolerations: 1, optional: 1}]");

    var wrongProfiles = run("-f", pod, "--profiles", profiles);
    assertThat(wrongProfiles.code()).isEqualTo(2);
    assertThat(wrongProfiles.err().lines())
        .containsExactlyInAnyOrder(
            "muster: " + profiles + ": profile x: tolerations must be true or false",
            "muster: " + profiles + ": profile x: optional must be true or false");
    assertThat(run("-f", folder.resolve("none").toString()).err())
        .isEqualTo("muster: " + folder.resolve("none") + ": cannot be read\n");
    var wrong = file("wrong.yaml", "a: [");
    assertThat(run("-f", wrong).err()).startsWith("muster: " + wrong + ": line ");
    var empty = file("empty.yaml", "{kind: Service, metadata: {name: s}}");
    assertThat(run("-f", empty).err())
        .isEqualTo("muster: " + empty + ": no pod and no template of one is in it\n");
    assertThat(run().code()).isEqualTo(2);
  }
}
