package io.muster.controller.kinds.dlrover.api;

import io.muster.controller.api.Fault;
import io.muster.controller.api.Validation;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * What cannot be honoured in an object as it is stored. The CRDs refuse the same, so this finds
 * something only in objects stored under other CRDs. Stateless; safe for concurrent use.
 */
public final class DlroverValidation extends Validation {

  private static final int LONGEST_JOB_NAME = 37;
  private static final Pattern JOB_NAME = Pattern.compile("[a-z]([-a-z0-9]*[a-z0-9])?");
  private static final Pattern PRIORITY =
      Pattern.compile("|high|low|0?\\.[0-9]*[1-9][0-9]*|1(\\.0*)?");
  private static final Set<String> STRATEGIES =
      Set.of("AllreduceStrategy", "ParameterServerStrategy", "CustomStrategy");
  private static final String ROLES = "spec.replicaSpecs";

  private DlroverValidation() {}

  /** Faults of a job, in the order of its fields; empty if it can be served as it stands. */
  public static List<Fault> in(ElasticJob job) {
    var faults = new DlroverValidation();
    var name = Objects.requireNonNullElse(job.getMetadata().getName(), "");
    faults.check(
        name.length() <= LONGEST_JOB_NAME && JOB_NAME.matcher(name).matches(),
        "metadata.name",
        DlroverRuleMessages.JOB_NAME);
    if (faults.hasSpec(job.getSpec())) {
      faults.job(job.getSpec());
    }
    return faults.found();
  }

  private void job(ElasticJobSpec spec) {
    var strategy = spec.distributionStrategy();
    check(
        strategy == null || STRATEGIES.contains(strategy),
        "spec.distributionStrategy",
        DlroverRuleMessages.STRATEGY);
    var roles = spec.replicaSpecs();
    if (!isThere(roles, ROLES)) {
      return;
    }
    check(roles.get("worker") != null, ROLES, DlroverRuleMessages.WORKER);
    check(
        strategy == null
            || !STRATEGIES.contains(strategy)
            || strategy.equals("AllreduceStrategy")
            || roles.get("ps") != null,
        ROLES,
        DlroverRuleMessages.PARAMETER_SERVERS);
    check(
        roles.entrySet().stream()
            .allMatch(role ->
                role.getKey().equals(ElasticJob.MASTER)
                    || role.getValue() == null
                    || role.getValue().template() != null),
        ROLES,
        DlroverRuleMessages.TEMPLATES);
    new TreeMap<>(roles)
        .forEach((name, role) -> {
          if (role != null) {
            role(name, role);
          }
        });
  }

  private void role(String name, ReplicaSpec role) {
    var field = ROLES + "." + name;
    atLeast(0, role.replicas(), field + ".replicas");
    mayBeMembers(role.replicas(), field + ".replicas");
    atLeast(0, role.restartCount(), field + ".restartCount");
    check(
        role.priority() == null || PRIORITY.matcher(role.priority()).matches(),
        ROLES + "[" + name + "].priority",
        DlroverRuleMessages.PRIORITY);
    if (role.template() != null) {
      template(role.template(), field + ".template");
    }
  }
}
