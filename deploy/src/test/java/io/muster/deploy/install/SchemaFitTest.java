package io.muster.deploy.install;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is held against a schema, and what comes of it. */
final class SchemaFitTest {

  private static final String SCHEMA =
      """
      type: object
      required: [spec]
      properties:
        spec:
          type: object
          required: [size, policy]
          properties:
            size: {type: integer, minimum: 1, maximum: 9}
            policy: {type: string, enum: [All, None], default: All}
            name: {type: string, pattern: "^[a-z]+$", maxLength: 3}
            port: {x-kubernetes-int-or-string: true}
            tasks:
              type: array
              maxItems: 2
              items: {type: object, properties: {type: {type: string}}}
            labels: {type: object, additionalProperties: {type: string}}
            template: {type: object, x-kubernetes-preserve-unknown-fields: true}
      """;

  private static SchemaFit.Found fit(String spec) throws JsonProcessingException {
    var yaml = new YAMLMapper();
    var object = "metadata: {name: a}\nkind: Job\nspec: " + spec + "\n";
    return SchemaFit.of(
        yaml.readTree(object), yaml.convertValue(yaml.readTree(SCHEMA), JSONSchemaProps.class));
  }

  @Test
  void whatTheSchemaDescribesFits() throws JsonProcessingException {
    var found =
        fit(
            """
            {size: 3, name: abc, port: 80, tasks: [{type: x}], labels: {any: b},
              template: {whatever: [1]}, policy: null}
            """);

    assertThat(found.unkept()).isEmpty();
    assertThat(found.misfits()).isEmpty();
  }

  @Test
  void fieldsThatNobodyDescribesAreNotKept() throws JsonProcessingException {
    assertThat(fit("{size: 3, more: 1, tasks: [{type: x, tpye: y}]}").unkept())
        .containsExactly(".spec.more", ".spec.tasks[0].tpye");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}|.spec.size is missing",
        "{size: x}|.spec.size is no integer",
        "{size: 0}|.spec.size is below 1.0",
        "{size: 10}|.spec.size is above 9.0",
        "{size: 1, policy: Some}|.spec.policy is none of the values that there are",
        "{size: 1, name: A}|.spec.name does not match ^[a-z]+$",
        "{size: 1, name: abcd}|.spec.name has more than 3 characters",
        "{size: 1, port: [1]}|.spec.port is neither number nor string",
        "{size: 1, tasks: [{}, {}, {}]}|.spec.tasks has more than 2 entries",
        "{size: 1, tasks: [{type: 1}]}|.spec.tasks[0].type is no string",
        "{size: 1, labels: {a: 1}}|.spec.labels.a is no string",
        "[]|.spec is no object",
      })
  void whatTheSchemaRefusesIsNamed(String spec, String misfit) throws JsonProcessingException {
    assertThat(fit(spec).misfits()).containsExactly(misfit);
  }

  @ParameterizedTest
  @CsvSource({
    "et-operator/training_job.yaml, trainingjobs.kai.alibabacloud.com",
    "dlrover/torch-mnist-gang.yaml, elasticjobs.elastic.iml.github.io",
    "di-orchestrator/dijob-qbert.yaml, dijobs.diengine.opendilab.org",
    "paddle-edl/examplejob.yaml, trainingjobs.paddlepaddle.org",
  })
  void theExamplesOfEachCommunityFitTheSchemasOfThisVersion(String example, String definition)
      throws IOException {
    var yaml = new YAMLMapper();
    JsonNode job = yaml.readTree(Files.readString(Path.of("../examples", example)));
    var schema =
        InstallFiles.definitions().stream()
            .filter(each -> each.getMetadata().getName().equals(definition))
            .flatMap(each -> each.getSpec().getVersions().stream())
            .filter(version -> job.path("apiVersion").asText().endsWith("/" + version.getName()))
            .findFirst()
            .orElseThrow()
            .getSchema()
            .getOpenAPIV3Schema();

    var found = SchemaFit.of(job, schema);
    assertThat(found.unkept()).isEmpty();
    assertThat(found.misfits()).isEmpty();
  }
}
