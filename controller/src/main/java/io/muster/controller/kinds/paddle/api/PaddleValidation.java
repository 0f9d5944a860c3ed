package io.muster.controller.kinds.paddle.api;

import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.Volume;
import io.muster.controller.api.Fault;
import io.muster.controller.api.ResizeCost;
import io.muster.controller.api.RuleTable;
import io.muster.controller.api.UnreadableVolume;
import io.muster.controller.api.Validation;
import io.muster.controller.core.job.Job;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * What cannot be honoured in a job as it is stored. The CRD refuses the same, so this finds
 * something only in objects stored under other CRDs, in annotations, and in quantities, which are
 * stored as written. Meant for jobs that nothing has been made for yet. Stateless; safe for
 * concurrent use.
 */
public final class PaddleValidation extends Validation {

  private static final RuleTable RULES = RuleTable.beside(PaddleJob.class);
  private static final int LAST_PORT = 65535;
  private static final int MOST_PORTS = 1000;
  private static final int LARGEST_FAILURE_LIMIT = 100_000;
  private static final int LONGEST_GRACE = 86_400;
  private static final Pattern ENDPOINT =
      Pattern.compile("|(http://)?[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?:[0-9]{1,5}/?");
  private static final String TRAINER = "spec.trainer";

  private PaddleValidation() {
    super(RULES);
  }

  /** Faults of a job, in the order of its fields; empty if it can be served as it stands. */
  public static List<Fault> in(PaddleJob job) {
    var faults = new PaddleValidation();
    faults.rule("name", Objects.requireNonNullElse(job.getMetadata().getName(), ""));
    faults.annotations(Objects.requireNonNullElse(job.getMetadata().getAnnotations(), Map.of()));
    if (faults.hasSpec(job.getSpec())) {
      faults.job(job.getSpec());
    }
    return faults.found();
  }

  /** The CRD cannot check annotations. */
  private void annotations(Map<String, String> said) {
    wholeNumber(
        said,
        PaddleJob.FAILURE_LIMIT,
        LARGEST_FAILURE_LIMIT,
        "trainer-failure-limit must be a whole number from 0 to 100000: failed trainers that are"
            + " recreated");
    wholeNumber(
        said,
        PaddleJob.GRACE_SECONDS,
        LONGEST_GRACE,
        "grace-seconds must be a whole number from 0 to 86400: seconds that a pod which is to go has"
            + " for it");
    check(
        ResizeCost.isSound(said),
        "metadata.annotations[" + ResizeCost.ANNOTATION + "]",
        ResizeCost.TEXT);
  }

  private void wholeNumber(Map<String, String> said, String key, int most, String text) {
    var number = said.get(key);
    check(
        number == null || (number.matches("[0-9]{1,6}") && Integer.parseInt(number) <= most),
        "metadata.annotations[" + key + "]",
        text);
  }

  private void job(PaddleJobSpec spec) {
    between(1, LAST_PORT, spec.port(), "spec.port");
    between(1, MOST_PORTS, spec.ports(), "spec.ports_num");
    between(1, MOST_PORTS, spec.sparsePorts(), "spec.ports_num_for_sparse");
    rule(
        "ports",
        or(spec.port(), 1) + or(spec.ports(), 1) + or(spec.sparsePorts(), 1) <= LAST_PORT + 1);
    atLeast(1, spec.passes(), "spec.passes");
    volumes(spec.volumes());
    if (isThere(spec.trainer(), TRAINER)) {
      trainer(spec.trainer(), Boolean.TRUE.equals(spec.faultTolerant()));
      members(spec);
    }
    if (spec.pserver() != null) {
      between(
          0,
          PaddleJobSpec.MOST_INSTANCES,
          spec.pserver().minInstance(),
          "spec.pserver.min-instance");
      resources(spec.pserver().resources(), "spec.pserver.resources");
    }
    if (spec.master() != null) {
      var endpoint = or(spec.master().etcdEndpoint(), "");
      rule("endpoint", ENDPOINT.matcher(endpoint).matches());
      resources(spec.master().resources(), "spec.master.resources");
    }
  }

  private void trainer(TrainerSpec trainer, boolean isTolerant) {
    isThere(trainer.entrypoint(), TRAINER + ".entrypoint");
    rule("entrypoint", !"".equals(trainer.entrypoint()));
    atLeast(1, trainer.passes(), TRAINER + ".passes");
    isThere(trainer.minInstance(), TRAINER + ".min-instance");
    between(1, PaddleJobSpec.MOST_INSTANCES, trainer.minInstance(), TRAINER + ".min-instance");
    between(0, PaddleJobSpec.MOST_INSTANCES, trainer.maxInstance(), TRAINER + ".max-instance");
    int min = or(trainer.minInstance(), 1);
    int max = or(trainer.maxInstance(), 0);
    rule("maxInstance", max == 0 || max >= min);
    rule("rigid", isTolerant || max <= min);
    int exact = or(trainer.parallelism(), min);
    rule("parallelism", exact >= min && exact <= Math.max(min, max));
    resources(trainer.resources(), TRAINER + ".resources");
  }

  /** Roles that are too large by themselves are told so. */
  private void members(PaddleJobSpec spec) {
    int pservers = spec.pserver() == null ? 0 : or(spec.pserver().minInstance(), 0);
    int trainers =
        Math.max(or(spec.trainer().minInstance(), 1), or(spec.trainer().maxInstance(), 0));
    int masters = Boolean.TRUE.equals(spec.faultTolerant()) ? 1 : 0;
    rule(
        "members",
        pservers > PaddleJobSpec.MOST_INSTANCES
            || trainers > PaddleJobSpec.MOST_INSTANCES
            || masters + pservers + trainers <= Job.MOST_MEMBERS);
  }

  private void volumes(List<Volume> volumes) {
    for (int i = 0; volumes != null && i < volumes.size(); i++) {
      var field = "spec.volumes[" + i + "]";
      if (volumes.get(i) instanceof UnreadableVolume unreadable) {
        unreadable(unreadable, field);
      } else {
        check(
            volumes.get(i) != null && volumes.get(i).getName() != null,
            field + ".name",
            "name" + MISSING);
      }
    }
  }

  private void resources(ResourceRequirements resources, String field) {
    if (resources == null) {
      return;
    }
    var limits = amounts(resources.getLimits(), field + ".limits");
    amounts(resources.getRequests(), field + ".requests")
        .forEach((name, amount) ->
            check(
                !limits.containsKey(name) || amount.compareTo(limits.get(name)) <= 0,
                field + ".requests[" + name + "]",
                name + " is above its limit; lower it or raise the limit"));
  }

  private Map<String, BigDecimal> amounts(Map<String, Quantity> said, String field) {
    var amounts = new TreeMap<String, BigDecimal>();
    Objects.requireNonNullElse(said, Map.<String, Quantity>of())
        .forEach((name, quantity) ->
            amount(quantity)
                .ifPresentOrElse(
                    amount -> amounts.put(name, amount),
                    () ->
                        fatal(
                            field + "[" + name + "]",
                            name + " is no quantity; write it like 200m, 2 or 1Gi")));
    return amounts;
  }

  private static Optional<BigDecimal> amount(Quantity quantity) {
    try {
      return Optional.ofNullable(quantity).map(Quantity::getNumericalAmount);
    } catch (IllegalArgumentException _) {
      return Optional.empty();
    }
  }

  private void between(int least, int most, Integer number, String field) {
    check(
        number == null || (number >= least && number <= most),
        field,
        "%s must be from %d to %d".formatted(lastPart(field), least, most));
  }

  private static <T> T or(T said, T otherwise) {
    return Objects.requireNonNullElse(said, otherwise);
  }
}
