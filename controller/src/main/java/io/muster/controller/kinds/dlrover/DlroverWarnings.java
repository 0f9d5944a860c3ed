package io.muster.controller.kinds.dlrover;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.Validation;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidationBuilder;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kinds.dlrover.api.ElasticJobSpec;
import io.muster.controller.kinds.dlrover.api.ReplicaSpec;
import io.muster.controller.kube.Policies;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the apiserver itself tells whoever writes an ElasticJob: fields and roles that Muster does
 * not know. They are kept, for a master may read them; but a misspelt {@code suspend} starts the
 * job. The policy stays with the definition.
 */
final class DlroverWarnings {

  static final String WARNINGS = "told-elasticjobs." + ElasticJob.GROUP;

  private static final String ROLES = "['worker', 'ps', 'chief', 'evaluator', 'dlrover-master']";

  /** Fields of DLRover's own definition that Muster does not read. */
  private static final List<String> MASTERS =
      List.of("enableDynamicSharding", "enableElasticScheduling", "envs");

  private DlroverWarnings() {}

  static List<HasMetadata> objects() {
    return Policies.telling(
        new Policies.Scope(
            WARNINGS, ElasticJob.GROUP, ElasticJob.PLURAL, List.of("CREATE", "UPDATE")),
        List.of(
            unknown(
                "has(object.spec) ? object.spec.filter(k, !(k in %s)) : []"
                    .formatted(
                        literal(Stream.concat(fields(ElasticJobSpec.class), MASTERS.stream()))),
                "spec."),
            unknown(ofRoles("!(role in %s)".formatted(ROLES)), "spec.replicaSpecs."),
            unknown(
                ofRoles(
                    "object.spec.replicaSpecs[role].exists(k, !(k in %s))"
                        .formatted(literal(fields(ReplicaSpec.class)))),
                "some field of spec.replicaSpecs.")));
  }

  private static String ofRoles(String condition) {
    return "has(object.spec) && has(object.spec.replicaSpecs)"
        + " ? object.spec.replicaSpecs.filter(role, %s) : []".formatted(condition);
  }

  /**
   * A warning that names the first of them.
   *
   * @param found an expression for a list of names
   */
  private static Validation unknown(String found, String path) {
    return new ValidationBuilder()
        .withExpression("size(%s) == 0".formatted(found))
        .withMessageExpression(
            "'%s' + (%s)[0] + ': not known to Muster and not followed; it is kept for the master. Check the spelling'"
                .formatted(path, found))
        .build();
  }

  private static Stream<String> fields(Class<? extends Record> type) {
    return Arrays.stream(type.getRecordComponents()).map(DlroverWarnings::name);
  }

  private static String literal(Stream<String> names) {
    return names.sorted().map("'%s'"::formatted).collect(Collectors.joining(", ", "[", "]"));
  }

  private static String name(RecordComponent field) {
    return Optional.ofNullable(field.getAccessor().getAnnotation(JsonProperty.class))
        .map(JsonProperty::value)
        .orElse(field.getName());
  }
}
