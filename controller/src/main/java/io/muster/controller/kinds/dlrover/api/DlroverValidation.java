package io.muster.controller.kinds.dlrover.api;

import io.muster.controller.api.Fault;
import io.muster.controller.api.RuleTable;
import io.muster.controller.api.Validation;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * What cannot be honoured in an object as it is stored. The CRDs refuse the same, so this finds
 * something only in objects stored under other CRDs. Stateless; safe for concurrent use.
 */
public final class DlroverValidation extends Validation {

  private static final RuleTable RULES = RuleTable.beside(ElasticJob.class);
  private static final Set<String> WITH_SERVERS =
      Set.of("ParameterServerStrategy", "CustomStrategy");
  private static final Pattern PRIORITY =
      Pattern.compile("|high|low|0?\\.[0-9]*[1-9][0-9]*|1(\\.0*)?");

  private static final String ROLES = "spec.replicaSpecs";

  private DlroverValidation() {
    super(RULES);
  }

  /** Faults of a job, in the order of its fields; empty if it can be served as it stands. */
  public static List<Fault> in(ElasticJob job) {
    var faults = new DlroverValidation();
    faults.rule("name", Objects.requireNonNullElse(job.getMetadata().getName(), ""));
    if (faults.hasSpec(job.getSpec())) {
      faults.job(job.getSpec());
    }
    return faults.found();
  }

  private void job(ElasticJobSpec spec) {
    rule("strategy", spec.distributionStrategy());
    var roles = spec.replicaSpecs();
    if (!isThere(roles, ROLES)) {
      return;
    }
    rule("worker", roles.get("worker") != null);
    boolean needsServers =
        spec.distributionStrategy() != null && WITH_SERVERS.contains(spec.distributionStrategy());
    rule("parameterServers", !needsServers || roles.get("ps") != null);
    rule("templates", roles.entrySet().stream().allMatch(DlroverValidation::hasTemplate));
    new TreeMap<>(roles)
        .forEach((name, role) -> {
          if (role != null) {
            role(name, role);
          }
        });
  }

  private static boolean hasTemplate(Map.Entry<String, ReplicaSpec> role) {
    return role.getKey().equals(ElasticJob.MASTER)
        || role.getValue() == null
        || role.getValue().template() != null;
  }

  private void role(String name, ReplicaSpec role) {
    var field = ROLES + "." + name;
    atLeast(0, role.replicas(), field + ".replicas");
    mayBeMembers(role.replicas(), field + ".replicas");
    atLeast(0, role.restartCount(), field + ".restartCount");
    boolean isPriority = role.priority() == null || PRIORITY.matcher(role.priority()).matches();
    ruleAt(ROLES + "[" + name + "].priority", "priority", isPriority);
    if (role.template() != null) {
      template(role.template(), field + ".template");
    }
  }
}
