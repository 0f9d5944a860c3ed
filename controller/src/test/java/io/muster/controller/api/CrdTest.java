package io.muster.controller.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.crdv2.generator.CRDGenerator;
import io.fabric8.crdv2.generator.CRDPostProcessor;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceColumnDefinitionBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionVersion;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.api.model.apiextensions.v1.ValidationRule;
import io.fabric8.kubernetes.api.model.apiextensions.v1.ValidationRuleBuilder;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.kinds.di.api.AggregatorConfig;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.api.FirstDIJob;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kinds.dlrover.api.ScalePlan;
import io.muster.controller.kinds.etoperator.api.ScaleIn;
import io.muster.controller.kinds.etoperator.api.ScaleOut;
import io.muster.controller.kinds.etoperator.api.TrainingJob;
import io.muster.controller.kinds.paddle.api.PaddleJob;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The CRDs are made from the records, so that schema and code cannot disagree. */
final class CrdTest {

  private static final Path COMMITTED = Path.of("../deploy/crds");

  @TempDir private Path generated;

  static List<Class<? extends CustomResource<?, ?>>> kinds() {
    return List.of(
        TrainingJob.class,
        ScaleIn.class,
        ScaleOut.class,
        ElasticJob.class,
        ScalePlan.class,
        DIJob.class,
        AggregatorConfig.class,
        PaddleJob.class);
  }

  /** The versions of a kind. */
  private static List<Class<? extends CustomResource<?, ?>>> versions(
      Class<? extends CustomResource<?, ?>> kind) {
    return kind.equals(DIJob.class) ? List.of(kind, FirstDIJob.class) : List.of(kind);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void committedCrdEqualsTheGeneratedOne(Class<? extends CustomResource<?, ?>> kind)
      throws IOException {
    var mapper = new ObjectMapper();
    var serialization = new KubernetesSerialization(mapper, false);
    mapper.setAnnotationIntrospector(new FieldDocs());
    new CRDGenerator()
        .withObjectMapper(mapper, serialization)
        .customResourceClasses(List.copyOf(versions(kind)))
        .withPostProcessor(completing(versions(kind)))
        .inOutputDir(generated.toFile())
        .detailedGenerate();
    var name = CustomResource.getCRDName(kind) + "-v1.yml";
    var crd =
        Files.readAllLines(generated.resolve(name)).stream()
            .filter(line -> !line.startsWith("#"))
            .collect(Collectors.joining("\n", "", "\n"));
    var committed = COMMITTED.resolve(name);
    if (Boolean.getBoolean("muster.golden.update")) {
      Files.writeString(committed, crd);
    }
    assertThat(committed).as("run with -Dmuster.golden.update=true to rewrite it").hasContent(crd);
  }

  @ParameterizedTest
  @MethodSource("kinds")
  void everyFieldIsExplained(Class<? extends CustomResource<?, ?>> kind) throws IOException {
    var root = committed(kind).getSpec().getVersions().getFirst().getSchema().getOpenAPIV3Schema();
    var unexplained = new ArrayList<String>();
    collectUnexplained(kind.getSimpleName(), root, unexplained);

    assertThat(root.getDescription()).isNotBlank();
    assertThat(unexplained).isEmpty();
  }

  /** Users of DI-engine and of PaddlePaddle know theirs; nobody else has them. */
  @Test
  void noShortNameIsTakenFromOthers() throws IOException {
    var known =
        Map.of(DIJob.class, "dijob", AggregatorConfig.class, "agconfig", PaddleJob.class, "tj");
    for (var kind : kinds()) {
      assertThat(committed(kind).getSpec().getNames().getShortNames())
          .isEqualTo(Optional.ofNullable(known.get(kind)).stream().toList());
    }
  }

  /** What one version did not know would be lost by whoever writes through it. */
  @ParameterizedTest
  @MethodSource("kinds")
  void allVersionsHaveTheSameFieldsAndOneIsStored(Class<? extends CustomResource<?, ?>> kind)
      throws IOException {
    var versions = committed(kind).getSpec().getVersions();

    assertThat(versions).filteredOn(CustomResourceDefinitionVersion::getStorage).hasSize(1);
    assertThat(versions.getFirst().getStorage()).isTrue();
    assertThat(versions)
        .extracting(CustomResourceDefinitionVersion::getSchema)
        .containsOnly(versions.getFirst().getSchema());
  }

  /** The annotation that kubectl apply keeps the manifest in is no larger. */
  @ParameterizedTest
  @MethodSource("kinds")
  void kubectlCanApplyItFromTheClientToo(Class<? extends CustomResource<?, ?>> kind)
      throws IOException {
    assertThat(Serialization.asJson(committed(kind)).length()).isLessThan(262_144);
  }

  static CustomResourceDefinition committed(Class<? extends CustomResource<?, ?>> kind)
      throws IOException {
    return Serialization.unmarshal(
        Files.readString(COMMITTED.resolve(CustomResource.getCRDName(kind) + "-v1.yml")),
        CustomResourceDefinition.class);
  }

  /** PaddlePaddle's users were promised a document of the fields. */
  @Test
  void theFieldsOfPaddleJobsAreAllInTheirDocument() throws IOException {
    var spec =
        committed(PaddleJob.class)
            .getSpec()
            .getVersions()
            .getFirst()
            .getSchema()
            .getOpenAPIV3Schema()
            .getProperties()
            .get("spec");
    var rows = new StringBuilder("| field | |\n|---|---|\n");
    collectRows("", spec, rows);
    var document = Path.of("../deploy/docs/paddle-edl.md");
    if (Boolean.getBoolean("muster.golden.update")) {
      var text = Files.readString(document);
      Files.writeString(document, text.substring(0, text.lastIndexOf("| field | |\n")) + rows);
    }

    assertThat(Files.readString(document))
        .as("run with -Dmuster.golden.update=true to rewrite it")
        .endsWith(rows.toString());
  }

  private static void collectRows(String path, JSONSchemaProps schema, StringBuilder rows) {
    below(schema)
        .forEach((name, field) -> {
          if (field.getDescription() != null) {
            var key = (path + name).replace(".[]", "[]");
            rows.append("| `%s` | %s |\n".formatted(key, field.getDescription()));
          }
          collectRows(path + name + ".", field, rows);
        });
  }

  private static void collectUnexplained(
      String path, JSONSchemaProps schema, List<String> unexplained) {
    below(schema)
        .forEach((name, field) -> {
          var isField = schema.getProperties() != null && schema.getProperties().containsKey(name);
          if (isField && (field.getDescription() == null || field.getDescription().isBlank())) {
            unexplained.add(path + "." + name);
          }
          collectUnexplained(path + "." + name, field, unexplained);
        });
  }

  /** What the generator leaves out or takes apart. */
  private static CRDPostProcessor completing(List<Class<? extends CustomResource<?, ?>>> kinds) {
    return new CRDPostProcessor() {
      @Override
      public HasMetadata process(HasMetadata made, String crdVersion) {
        for (var version : ((CustomResourceDefinition) made).getSpec().getVersions()) {
          var kind =
              kinds.stream()
                  .filter(one -> HasMetadata.getVersion(one).equals(version.getName()))
                  .findFirst()
                  .orElseThrow();
          columnsInDeclaredOrder(version, kind);
          addAge(version);
          var root = version.getSchema().getOpenAPIV3Schema();
          if (kind.equals(AggregatorConfig.class)) {
            root.getProperties().remove("status");
            version.setSubresources(null);
          }
          root.setDescription(kind.getAnnotation(JsonClassDescription.class).value());
          addRules(RuleTable.beside(kind), kind, root);
          complete("", root);
        }
        return made;
      }
    };
  }

  private static void addRules(RuleTable table, Class<?> kind, JSONSchemaProps root) {
    var rules =
        switch (kind.getSimpleName()) {
          case "ScaleIn" -> "scaleIns";
          case "ScaleOut" -> "scaleOuts";
          case "ScalePlan" -> "plans";
          case "AggregatorConfig" -> "aggregators";
          default -> "jobs";
        };
    for (var rule : table.rules().get(rules)) {
      at(Objects.requireNonNullElse(rule.part(), ""), root)
          .getXKubernetesValidations()
          .add(inCel(table, rule));
    }
  }

  private static JSONSchemaProps at(String path, JSONSchemaProps root) {
    var schema = root;
    for (var step : path.isEmpty() ? new String[0] : path.split("\\.")) {
      schema = below(schema).get(step);
    }
    return schema;
  }

  private static ValidationRule inCel(RuleTable table, ObjectRule rule) {
    var made = new ValidationRuleBuilder();
    if (rule.field() != null && rule.field().startsWith(".")) {
      made.withFieldPath(rule.field());
    }
    if (rule.found() == null) {
      made.withMessage(rule.text());
    } else {
      made.withMessageExpression(
          "'%s'.replace('X', %s)".formatted(rule.text(), spelled(table, rule.found())));
    }
    var atCreation = rule.name() == null ? rule.atCreation() : inCel(rule.name());
    if (atCreation != null) {
      made.withRule("oldSelf.hasValue() || " + spelled(table, atCreation));
      made.withOptionalOldSelf(true);
    } else if (rule.whenChanged() != null) {
      made.withRule(spelled(table, rule.whenChanged())).withOptionalOldSelf(true);
    } else if (rule.words() != null) {
      made.withRule("self in ['%s']".formatted(String.join("', '", rule.words())));
    } else {
      made.withRule(spelled(table, rule.always()));
    }
    return made.build();
  }

  private static String inCel(ObjectRule.Name name) {
    return "(size(self.metadata.name) <= %d && self.metadata.name.matches('^%s$'))"
        .formatted(name.longest(), name.pattern());
  }

  /** With what the table's words stand for; those are made of others in turn. */
  private static String spelled(RuleTable table, String cel) {
    var spelled =
        Pattern.compile("\\$\\{(\\w+)}")
            .matcher(cel)
            .replaceAll(match -> Matcher.quoteReplacement(table.words().get(match.group(1))));
    return spelled.equals(cel) ? cel : spelled(table, spelled);
  }

  /** The generator sorts columns by path; kubectl prints them in the order of the file. */
  private static void columnsInDeclaredOrder(
      CustomResourceDefinitionVersion version, Class<?> kind) {
    var order =
        Arrays.stream(kind.getAnnotationsByType(AdditionalPrinterColumn.class))
            .map(AdditionalPrinterColumn::name)
            .toList();
    version
        .getAdditionalPrinterColumns()
        .sort(Comparator.comparingInt(column -> order.indexOf(column.getName())));
  }

  private static void addAge(CustomResourceDefinitionVersion version) {
    var columns = new ArrayList<>(version.getAdditionalPrinterColumns());
    columns.add(
        new CustomResourceColumnDefinitionBuilder()
            .withName("Age")
            .withPriority(0)
            .withType("date")
            .withJsonPath(".metadata.creationTimestamp")
            .build());
    version.setAdditionalPrinterColumns(columns);
  }

  private static void complete(String name, JSONSchemaProps schema) {
    if ("integer".equals(schema.getType())) {
      schema.setFormat(name.equals("observedGeneration") ? "int64" : "int32");
    } else if (name.endsWith("Time") || name.endsWith("Timestamp")) {
      schema.setFormat("date-time");
    }
    below(schema).forEach(CrdTest::complete);
  }

  /** Fields by name; items and values of a field under its own name. */
  static Map<String, JSONSchemaProps> below(JSONSchemaProps schema) {
    var fields = new TreeMap<String, JSONSchemaProps>();
    if (schema.getProperties() != null) {
      fields.putAll(schema.getProperties());
    }
    if (schema.getItems() != null) {
      fields.put("[]", schema.getItems().getSchema());
    }
    if (schema.getAdditionalProperties() != null) {
      fields.put("*", schema.getAdditionalProperties().getSchema());
    }
    return fields;
  }
}
