package io.muster.controller.kinds.paddle;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.Validation;
import io.muster.controller.kinds.paddle.api.PaddleJob;
import io.muster.controller.kube.Policies;
import java.util.List;
import java.util.stream.Stream;

/**
 * What the apiserver itself says to whoever writes a TrainingJob, beside the definition's rules: by
 * policies, for quantities are beyond those, and a definition cannot merely tell. They stay with
 * the definition.
 */
final class PaddleWarnings {

  /** What is refused. */
  static final String REFUSALS = "right-trainingjobs." + PaddleJob.GROUP;

  /** What its writer is told. */
  static final String WARNINGS = "told-trainingjobs." + PaddleJob.GROUP;

  private PaddleWarnings() {}

  static List<HasMetadata> objects() {
    return Stream.of(
            Policies.refusing(
                scope(REFUSALS),
                Stream.of(PaddleNames.MASTER, PaddleNames.PSERVER, PaddleNames.TRAINER)
                    .map(PaddleWarnings::requestsFit)
                    .toList()),
            Policies.telling(
                scope(WARNINGS),
                List.of(
                    Policies.rule(
                        "!has(object.spec) || !has(object.spec.trainer)"
                            + " || !has(object.spec.trainer.passes)",
                        "spec.trainer.passes: belongs to spec.passes; it is followed all the same"),
                    Policies.rule(
                        "!has(object.spec) || !has(object.spec.pserver)"
                            + " || !('max-instance' in object.spec.pserver)"
                            + " || ('min-instance' in object.spec.pserver"
                            + " && object.spec.pserver['max-instance']"
                            + " == object.spec.pserver['min-instance'])",
                        "spec.pserver.max-instance: is not followed; there are as many as"
                            + " spec.pserver.min-instance says"))))
        .flatMap(List::stream)
        .toList();
  }

  private static Validation requestsFit(String role) {
    return Policies.rule(
        ("!has(object.spec) || !has(object.spec.%1$s) || !has(object.spec.%1$s.resources)"
                + " || !has(object.spec.%1$s.resources.requests)"
                + " || !has(object.spec.%1$s.resources.limits)"
                + " || object.spec.%1$s.resources.requests.all(name,"
                + " !(name in object.spec.%1$s.resources.limits)"
                + " || !isQuantity(string(object.spec.%1$s.resources.requests[name]))"
                + " || !isQuantity(string(object.spec.%1$s.resources.limits[name]))"
                + " || !quantity(string(object.spec.%1$s.resources.requests[name]))"
                + ".isGreaterThan(quantity(string(object.spec.%1$s.resources.limits[name]))))")
            .formatted(role),
        "spec.%s.resources: a request is above its limit; lower it or raise the limit"
            .formatted(role));
  }

  private static Policies.Scope scope(String name) {
    return new Policies.Scope(name, PaddleJob.GROUP, PaddleJob.PLURAL, List.of("CREATE", "UPDATE"));
  }
}
