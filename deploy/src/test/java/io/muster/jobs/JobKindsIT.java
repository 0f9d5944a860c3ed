package io.muster.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.core.type.TypeReference;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.sandbox.BareSandbox;
import io.muster.sandbox.Layout;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxException;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
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
      String rule,
      String kind,
      String name,
      Map<String, String> annotations,
      Map<String, Object> spec,
      String field,
      String text,
      String admission,
      String instead) {

    @Override
    public String toString() {
      return rule;
    }
  }

  @JsonIgnoreProperties(ignoreUnknown = true)
  record Table(List<Refusal> cases) {}

  static List<Refusal> refusals() throws IOException {
    var all = new ArrayList<Refusal>();
    for (var group : List.of("kai", "dlrover")) {
      var file = ROOT.resolve("controller/src/test/resources/" + group + "/faults.yml");
      all.addAll(
          Serialization.unmarshal(Files.readString(file), new TypeReference<Table>() {}).cases());
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
            "customresourcedefinition.apiextensions.k8s.io/scaleplans.elastic.iml.github.io");
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void whatTheTableForbidsIsRefusedInItsWords(Refusal refusal, TestSpace space) {
    var kinds = new KindObjects(space);
    var name = Objects.requireNonNullElse(refusal.name(), "elastic-training");
    var text = Objects.requireNonNullElse(refusal.admission(), refusal.text());

    if (text.isEmpty()) {
      var annotations = Objects.requireNonNullElse(refusal.annotations(), Map.<String, String>of());
      kinds.create(refusal.kind(), name, annotations, refusal.spec());
      return;
    }
    assertThatThrownBy(() -> kinds.create(refusal.kind(), name, refusal.spec()))
        .isInstanceOf(KubernetesClientException.class)
        .hasMessageContaining(refusal.field())
        .hasMessageContaining(text)
        .extracting(e -> ((KubernetesClientException) e).getCode())
        .isEqualTo(422);
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
      })
  void theExamplesAreAccepted(String example, Sandbox sandbox, TestSpace space) throws IOException {
    var text =
        Files.readString(ROOT.resolve("examples/" + example + ".yaml"))
            .replace("namespace: dlrover", "namespace: " + space.namespace());
    var file = Files.writeString(folder.resolve("example.yaml"), text).toString();

    assertThat(sandbox.kubectl("create", "--dry-run=server", "--validate=strict", "-f", file))
        .contains("created (server dry run)");
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
