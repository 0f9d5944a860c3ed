package io.muster.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.core.type.TypeReference;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.sandbox.Await;
import io.muster.sandbox.BareSandbox;
import io.muster.sandbox.Layout;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxException;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the API server makes of these kinds by their CRDs alone, with nobody who serves them. */
@BareSandbox
@ExtendWith(SandboxExtension.class)
final class JobKindsIT {

  private static final Path ROOT = Layout.current().deploy().getParent();
  private static final String EXAMPLE = "examples/et-operator/training_job.yaml";

  /** One row of the table in which controller and CRDs agree. */
  record Refusal(
      String group,
      String rule,
      String kind,
      String version,
      String name,
      Map<String, String> annotations,
      Map<String, Object> spec,
      Map<String, Object> later,
      boolean served,
      String field,
      String text,
      String admission,
      String instead) {

    Refusal in(String folder) {
      return new Refusal(
          folder,
          rule,
          kind,
          version,
          name,
          annotations,
          spec,
          later,
          served,
          field,
          text,
          admission,
          instead);
    }

    /** Two communities have a TrainingJob, one of them DIJobs of two versions. */
    String apiVersion() {
      if (group.equals("paddle-edl")) {
        return KindObjects.PADDLE;
      }
      return version == null ? KindObjects.apiVersion(kind) : KindObjects.DI_ENGINE + version;
    }

    @Override
    public String toString() {
      return rule;
    }
  }

  @JsonIgnoreProperties(ignoreUnknown = true)
  record Table(List<Refusal> cases) {}

  static List<Refusal> refusals() throws IOException {
    var all = new ArrayList<Refusal>();
    for (var group : List.of("etoperator", "dlrover", "di-orchestrator", "paddle-edl")) {
      var file = ROOT.resolve("controller/src/test/resources/" + group + "/faults.yml");
      Serialization.unmarshal(Files.readString(file), new TypeReference<Table>() {})
          .cases()
          .forEach(one -> all.add(one.in(group)));
    }
    return all;
  }

  @TempDir private Path folder;

  @BeforeAll
  static void install(Sandbox sandbox) {
    KindObjects.install(sandbox);
  }

  @Test
  void theKindsAreListed(Sandbox sandbox) {
    assertThat(sandbox.kubectl("get", "crd", "-o", "name"))
        .contains(
            "customresourcedefinition.apiextensions.k8s.io/scaleins.kai.alibabacloud.com",
            "customresourcedefinition.apiextensions.k8s.io/scaleouts.kai.alibabacloud.com",
            "customresourcedefinition.apiextensions.k8s.io/trainingjobs.kai.alibabacloud.com",
            "customresourcedefinition.apiextensions.k8s.io/elasticjobs.elastic.iml.github.io",
            "customresourcedefinition.apiextensions.k8s.io/scaleplans.elastic.iml.github.io",
            "customresourcedefinition.apiextensions.k8s.io/dijobs.diengine.opendilab.org",
            "customresourcedefinition.apiextensions.k8s.io/aggregatorconfigs.diengine.opendilab.org",
            "customresourcedefinition.apiextensions.k8s.io/trainingjobs.paddlepaddle.org");
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void whatTheTableForbidsIsRefusedInItsWords(Refusal refusal, TestSpace space) {
    var kinds = new KindObjects(space);
    var name = Objects.requireNonNullElse(refusal.name(), "elastic-training");
    var text = Objects.requireNonNullElse(refusal.admission(), refusal.text());

    if (text.isEmpty()) {
      var annotations = Objects.requireNonNullElse(refusal.annotations(), Map.<String, String>of());
      kinds.create(refusal.apiVersion(), refusal.kind(), name, annotations, refusal.spec());
      return;
    }
    assertThatThrownBy(() -> write(refusal, name, kinds))
        .isInstanceOf(KubernetesClientException.class)
        .hasMessageContaining(refusal.field())
        .hasMessageContaining(text)
        .extracting(e -> ((KubernetesClientException) e).getCode())
        .isEqualTo(422);
  }

  private static void write(Refusal refusal, String name, KindObjects kinds) {
    var made = kinds.create(refusal.apiVersion(), refusal.kind(), name, Map.of(), refusal.spec());
    if (refusal.later() != null) {
      kinds.change(made, refusal.later());
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "et-operator/training_job",
        "et-operator/scale_in_count",
        "et-operator/scale_in_pod",
        "et-operator/scale_out",
        "dlrover/torch-mnist-gang",
        "dlrover/torch-mnist-suspend",
        "dlrover/torch-mnist-builtin",
        "dlrover/scale-plan",
        "di-orchestrator/dijob-qbert",
        "di-orchestrator/dijob-gobigger",
        "di-orchestrator/agconfig",
        "di-orchestrator/job-with-tasks",
        "di-orchestrator/normal-job",
        "di-orchestrator/name-validate-without-name",
        "paddle-edl/examplejob",
        "paddle-edl/nginx",
      })
  void theExamplesAreAccepted(String example, Sandbox sandbox, TestSpace space) throws IOException {
    var text =
        Files.readString(ROOT.resolve("examples/" + example + ".yaml"))
            .replaceAll("namespace: (dlrover|di-system)", "namespace: " + space.namespace());
    var file = Files.writeString(folder.resolve("example.yaml"), text).toString();

    assertThat(sandbox.kubectl("create", "--dry-run=server", "--validate=strict", "-f", file))
        .contains("created (server dry run)");
  }

  @ParameterizedTest
  @CsvSource({
    "name-validate-name-repeat, there is more than one task named name-test",
    "name-validate-none-type-task-without-name, none type task has no name",
    "name-validate-task-repeat, the number of collector task is more than one",
  })
  void theExamplesThatUpstreamFailsAreRefused(String example, String words, Sandbox sandbox) {
    var file = ROOT.resolve("examples/di-orchestrator/" + example + ".yaml").toString();

    assertThatThrownBy(() -> sandbox.kubectl("create", "--dry-run=server", "-f", file))
        .isInstanceOf(SandboxException.class)
        .hasMessageContaining(words);
  }

  /** The API server fills in the defaults of the stored version, whichever is written or read. */
  @ParameterizedTest
  @ValueSource(strings = {"dijob-qbert", "dijob-gobigger", "normal-job", "job-with-tasks"})
  void diJobsOfAllShapesAreTheSameInBothVersions(String example, TestSpace space)
      throws IOException {
    var kinds = new KindObjects(space);
    var file = ROOT.resolve("examples/di-orchestrator/" + example + ".yaml");
    var written = Serialization.unmarshal(Files.readString(file), GenericKubernetesResource.class);
    var spec = new HashMap<String, Object>(written.get("spec"));
    spec.putIfAbsent("backoffLimit", 3);
    var name = written.getMetadata().getName();

    assertThat(kinds.kubectl("create", "-f", file.toString()))
        .isEqualTo("dijob.diengine.opendilab.org/" + name + " created\n");

    assertThat(kinds.json("dijobs.v2alpha1.diengine.opendilab.org", name, "{.spec}"))
        .isEqualTo(spec);
    assertThat(kinds.json("dijobs.v1alpha1.diengine.opendilab.org", name, "{.spec}"))
        .isEqualTo(spec);
  }

  @Test
  void diJobsGetTheirCleanPodPolicyAndKeepABackoffLimitOfNull(TestSpace space) {
    var kinds = new KindObjects(space);
    var template = Map.of("spec", Map.of("containers", List.of(Map.of("name", "main"))));
    var endless = new HashMap<String, Object>();
    endless.put("backoffLimit", null);
    endless.put("tasks", List.of(Map.of("name", "any", "template", template)));
    kinds.create("DIJob", "endless", endless);
    kinds.create(
        KindObjects.DI_ENGINE + "v1alpha1",
        "DIJob",
        "first",
        Map.of(),
        Map.of("coordinator", Map.of("template", template)));

    endless.put("cleanPodPolicy", "Running");
    endless.put(
        "tasks",
        List.of(Map.of("name", "any", "type", "none", "replicas", 1, "template", template)));
    assertThat(kinds.json("dijobs", "endless", "{.spec}")).isEqualTo(endless);
    assertThat(kinds.text("dijobs", "first", "{.spec.cleanPodPolicy}")).isEqualTo("Running");
  }

  @Test
  void kubectlPrintsDiJobsWithTheColumnsOfTheVersionAndOnDemandOfTheFirst(
      Sandbox sandbox, TestSpace space) {
    var kinds = new KindObjects(space);
    var task =
        Map.of(
            "name",
            "any",
            "template",
            Map.of("spec", Map.of("containers", List.of(Map.of("name", "main")))));
    kinds.create("DIJob", "job-with-tasks", Map.of("tasks", List.of(task)));
    kinds.status(
        "dijobs",
        "job-with-tasks",
        Map.of(
            "phase",
            "Starting",
            "replicas",
            4,
            "readyReplicas",
            0,
            "restarts",
            0,
            "reschedules",
            0,
            "profilings",
            Map.of("fps", 100),
            "taskStatus",
            Map.of("any", Map.of("Pending", 4)),
            "replicaStatus",
            Map.of("Collector", Map.of("succeeded", 2), "Aggregator", Map.of())));
    var byPhase = List.of("NAME PHASE AGE", "job-with-tasks Starting AGE");

    assertThat(printed(kinds, "dijob"))
        .containsExactly(
            "NAME PHASE READYREPLICAS REPLICAS RESTARTS RESCHEDULES AGE",
            "job-with-tasks Starting 0 4 0 0 AGE");
    assertThat(printed(kinds, "dijobs.v1alpha1.diengine.opendilab.org")).isEqualTo(byPhase);
    assertThat(
            kinds.text("dijobs", "job-with-tasks", "{.status.profilings}{.status.replicaStatus}"))
        .isEqualTo("{\"fps\":100}{\"Aggregator\":{},\"Collector\":{\"succeeded\":2}}");
    var columns = ROOT.resolve("deploy/install/di-orchestrator-v1-columns.yaml").toString();
    try {
      sandbox.kubectl("apply", "--server-side", "--force-conflicts", "-f", columns);
      Await.until(
          "the columns of v1alpha1",
          Duration.ofSeconds(30),
          () -> printed(kinds, "dijob").equals(byPhase));
    } finally {
      KindObjects.install(sandbox);
    }
  }

  @Test
  void fieldsLeftOutGetTheirDefaultsAndTemplatesStayWhole(TestSpace space) {
    var kinds = new KindObjects(space);
    var spec =
        Map.<String, Object>of(
            "hostUsers", false, "containers", List.of(Map.of("name", "main", "aFieldToCome", 7)));
    var labelled = Map.of("metadata", Map.of("labels", Map.of("team", "vision")), "spec", spec);
    kinds.create(
        "TrainingJob",
        "whole",
        Map.of(
            "etReplicaSpecs",
            Map.of(
                "launcher", Map.of("template", labelled), "worker", Map.of("template", labelled))));

    assertThat(kinds.json("trainingjobs", "whole", "{.spec.etReplicaSpecs.worker}"))
        .isEqualTo(Map.of("replicas", 1, "template", labelled));
    assertThat(kinds.text("trainingjobs", "whole", "{.spec.restartPolicy} {.spec.backoffLimit}"))
        .isEqualTo("Never 6");
  }

  @Test
  void kubectlPrintsThePhaseOfAJobAndTheLastConditionOfAScaler(TestSpace space) {
    var kinds = new KindObjects(space);
    kinds.createExample(EXAMPLE);
    kinds.status("trainingjobs", "elastic-training", Map.of("phase", "Running"));
    kinds.create("ScaleIn", "scalein-sample-t8jxd", KindObjects.scaleIn(1));
    kinds.status(
        "scaleins",
        "scalein-sample-t8jxd",
        Map.of(
            "phase",
            "Scaling",
            "conditions",
            List.of(condition("Created"), condition("Scaling"), condition("ScriptExecuted"))));
    kinds.create("ScaleOut", "elastic-training-scaleout-9dtmw", KindObjects.scaleOut(2));
    kinds.status(
        "scaleouts",
        "elastic-training-scaleout-9dtmw",
        Map.of("conditions", List.of(condition("Created"), condition("ScaleSucceeded"))));

    assertThat(printed(kinds, "trainingjob"))
        .containsExactly("NAME PHASE AGE", "elastic-training Running AGE");
    assertThat(printed(kinds, "scalein"))
        .containsExactly("NAME PHASE AGE", "scalein-sample-t8jxd ScriptExecuted AGE");
    assertThat(printed(kinds, "scaleout"))
        .containsExactly("NAME PHASE AGE", "elastic-training-scaleout-9dtmw ScaleSucceeded AGE");
  }

  @ParameterizedTest
  @CsvSource({
    "trainingjob.spec.etReplicaSpecs.worker, Fewest workers that a scale-in may leave",
    "trainingjob.spec.launcherAttachMode, How the launcher reaches its workers",
    "trainingjob.status, Written by Muster only",
    "scalein.spec.toDelete, Names of the worker pods to take away",
    "scaleout.spec, Variables that the script sees",
    "dijob.spec.tasks, What the pods do",
    "dijob.spec, What is deleted once the job has ended",
    "agconfig.spec.aggregator, The pod to be made",
    "tj.spec.trainer, Fewest trainers",
    "tj.spec.VolumeMounts, Path in the container",
  })
  void kubectlExplainsTheFields(String field, String words, Sandbox sandbox) {
    assertThat(sandbox.kubectl("explain", field)).contains(words);
  }

  @Test
  void kubectlScaleMovesTheSpecWithinItsBounds(TestSpace space) {
    var kinds = new KindObjects(space);
    kinds.createExample(EXAMPLE);
    kinds.status(
        "trainingjobs",
        "elastic-training",
        Map.of("replicas", 2, "workerSelector", "training-job-role=worker"));

    kinds.kubectl("scale", "trainingjob", "elastic-training", "--replicas=4");

    assertThat(
            kinds.text(
                "trainingjobs", "elastic-training", "{.spec.etReplicaSpecs.worker.replicas}"))
        .isEqualTo("4");
    assertThat(kinds.scale("elastic-training"))
        .contains("\"replicas\":2", "\"selector\":\"training-job-role=worker\"");
    assertThatThrownBy(
            () -> kinds.kubectl("scale", "trainingjob", "elastic-training", "--replicas=10"))
        .isInstanceOf(SandboxException.class)
        .hasMessageContaining(
            "spec.etReplicaSpecs.worker.maxReplicas: Invalid value: replicas is above maxReplicas;"
                + " lower replicas or raise maxReplicas");
  }

  private static Map<String, Object> condition(String type) {
    return Map.of("type", type, "status", "True");
  }

  /** Lines without their padding, ages as AGE. */
  private static List<String> printed(KindObjects kinds, String kind) {
    return Arrays.stream(kinds.kubectl("get", kind).strip().split("\n"))
        .map(line -> line.strip().replaceAll(" +", " ").replaceAll(" \\d+s$", " AGE"))
        .toList();
  }
}
