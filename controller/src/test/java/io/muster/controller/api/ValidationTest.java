package io.muster.controller.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.api.model.apiextensions.v1.ValidationRule;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.api.DiValidation;
import io.muster.controller.kinds.dlrover.api.DlroverValidation;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kinds.etoperator.api.EtOperatorValidation;
import io.muster.controller.kinds.etoperator.api.TrainingJob;
import io.muster.controller.kinds.paddle.api.PaddleJob;
import io.muster.controller.kinds.paddle.api.PaddleValidation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ValidationTest {

  private static final KubernetesSerialization JSON = new KubernetesSerialization();
  private static final Path DOCUMENT = Path.of("../deploy/docs/validation.md");
  private static final Path EXAMPLES = Path.of("../examples");
  private static final String HEAD =
      "| rule | field | at creation | if stored all the same |\n|---|---|---|---|\n";

  static List<FaultCase> cases() throws IOException {
    return FaultCase.all();
  }

  static List<FaultCase> casesOfJobs() throws IOException {
    return cases().stream().filter(one -> one.kind().endsWith("Job")).toList();
  }

  @ParameterizedTest
  @MethodSource("casesOfJobs")
  void saysOfAStoredObjectWhatTheTableSays(FaultCase one) {
    assertThat(faults(one.stored())).isEqualTo(one.faults());
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
        "di-orchestrator/dijob-qbert",
        "di-orchestrator/dijob-gobigger",
        "di-orchestrator/agconfig",
        "di-orchestrator/job-with-tasks",
        "di-orchestrator/normal-job",
        "di-orchestrator/name-validate-without-name",
        "paddle-edl/examplejob"
      })
  void theExamplesHaveNone(String name) throws IOException {
    var text = Files.readString(EXAMPLES.resolve(name + ".yaml"));

    assertThat(faults(named(Serialization.unmarshal(text, GenericKubernetesResource.class))))
        .isEmpty();
  }

  /** What the API server says itself is held to the table on a real one. */
  @Test
  void theCrdsAndTheTableHaveTheSameTexts() throws IOException {
    var inCrds = new TreeSet<String>();
    for (var kind : CrdTest.kinds()) {
      collectTexts(
          CrdTest.committed(kind)
              .getSpec()
              .getVersions()
              .getFirst()
              .getSchema()
              .getOpenAPIV3Schema(),
          inCrds);
    }
    var inTable =
        cases().stream()
            .filter(one -> one.admission() == null)
            .map(FaultCase::text)
            .collect(Collectors.toCollection(TreeSet::new));

    assertThat(inCrds).isEqualTo(inTable);
  }

  @Test
  void theDocumentSaysWhatUsersAreTold() throws IOException {
    for (var kind : CrdTest.kinds()) {
      var title = "## " + title(kind) + "\n";
      var table =
          HEAD
              + cases().stream()
                  .filter(one -> one.stored().getKind().equals(HasMetadata.getKind(kind)))
                  .filter(one ->
                      one.stored().getApiVersion().startsWith(HasMetadata.getGroup(kind) + "/"))
                  .map(ValidationTest::row)
                  .collect(Collectors.joining());
      var text = Files.readString(DOCUMENT);
      int first = text.indexOf(HEAD, text.indexOf(title));
      int end = text.indexOf("\n\n", first);
      if (Boolean.getBoolean("muster.golden.update")) {
        var rest = end < 0 ? "" : text.substring(end + 1);
        Files.writeString(DOCUMENT, text.substring(0, first) + table + rest);
      }
      assertThat(Files.readString(DOCUMENT)).contains(title).contains(table);
    }
  }

  /** Two communities have a TrainingJob. */
  private static String title(Class<? extends CustomResource<?, ?>> kind) {
    return HasMetadata.getKind(kind)
        + (kind.equals(PaddleJob.class) ? " of " + PaddleJob.GROUP : "");
  }

  private static String row(FaultCase one) {
    if (one.later() != null) {
      return "| %s | `%s` | let in; later: `%s` | served |\n"
          .formatted(one.rule(), one.field(), one.text());
    }
    if (one.served()) {
      return "| %s | `%s` | `%s` | served |\n".formatted(one.rule(), one.field(), one.text());
    }
    boolean alike = one.atCreation().equals(one.text());
    var own = alike ? "" : ": `" + one.text() + "`";
    var later =
        one.instead() != null
            ? "`" + one.instead() + "` is used" + own
            // et-operator's own words.
            : one.kind().startsWith("ScaleIn") || one.kind().startsWith("ScaleOut")
                ? "ScaleFailed"
                : "Failed" + (alike ? ", the same text" : own);
    return "| %s | `%s` | %s | %s |\n"
        .formatted(
            one.rule(),
            one.field(),
            one.atCreation().isEmpty() ? "let in" : "`" + one.atCreation() + "`",
            later);
  }

  /** As the API server names what is made by generateName. */
  private static GenericKubernetesResource named(GenericKubernetesResource made) {
    if (made.getMetadata().getName() == null) {
      made.getMetadata().setName(made.getMetadata().getGenerateName() + "9dtmw");
    }
    return made;
  }

  private static List<Fault> faults(GenericKubernetesResource stored) {
    return switch (stored.getKind()) {
      case "TrainingJob" ->
          stored.getApiVersion().startsWith(PaddleJob.GROUP)
              ? PaddleValidation.in(JSON.convertValue(stored, PaddleJob.class))
              : EtOperatorValidation.in(JSON.convertValue(stored, TrainingJob.class));
      case "ElasticJob" -> DlroverValidation.in(JSON.convertValue(stored, ElasticJob.class));
      case "DIJob" -> DiValidation.in(JSON.convertValue(stored, DIJob.class));
      // What is asked of a job is checked when it is carried out.
      default -> List.of();
    };
  }

  private static void collectTexts(JSONSchemaProps schema, Set<String> texts) {
    schema.getXKubernetesValidations().stream()
        .map(ValidationRule::getMessage)
        .filter(Objects::nonNull)
        .forEach(texts::add);
    CrdTest.below(schema).values().forEach(field -> collectTexts(field, texts));
  }
}
