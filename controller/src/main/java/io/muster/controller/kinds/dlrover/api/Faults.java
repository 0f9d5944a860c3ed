package io.muster.controller.kinds.dlrover.api;

import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.muster.controller.api.Fault;
import io.muster.controller.api.SpecSize;
import io.muster.controller.api.UnreadableTemplate;
import io.muster.controller.core.job.Job;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * What cannot be honoured in an object as it is stored. The CRDs refuse the same, so this finds
 * something only in objects stored under other CRDs. Stateless; safe for concurrent use.
 */
public final class Faults {

  private static final int LONGEST_JOB_NAME = 37;
  private static final Pattern JOB_NAME = Pattern.compile("[a-z]([-a-z0-9]*[a-z0-9])?");
  private static final Pattern PRIORITY =
      Pattern.compile("|high|low|0?\\.[0-9]*[1-9][0-9]*|1(\\.0*)?");
  private static final Set<String> STRATEGIES =
      Set.of("AllreduceStrategy", "ParameterServerStrategy", "CustomStrategy");
  private static final String ROLES = "spec.replicaSpecs";

  private final List<Fault> found = new ArrayList<>();

  private Faults() {}

  /** Faults of a job, in the order of its fields; empty if it can be served as it stands. */
  public static List<Fault> in(ElasticJob job) {
    var faults = new Faults();
    var name = Objects.requireNonNullElse(job.getMetadata().getName(), "");
    faults.check(
        name.length() <= LONGEST_JOB_NAME && JOB_NAME.matcher(name).matches(),
        "metadata.name",
        Texts.JOB_NAME);
    faults.check(job.getSpec() != null, "spec", Texts.SPEC);
    if (job.getSpec() != null) {
      SpecSize.fault(job.getSpec()).ifPresent(faults.found::add);
      faults.job(job.getSpec());
    }
    return List.copyOf(faults.found);
  }

  /** Faults of a plan, in the order of its fields; empty if it can be served as it stands. */
  public static List<Fault> in(ScalePlan plan) {
    var faults = new Faults();
    faults.check(plan.getSpec() != null, "spec", Texts.SPEC);
    if (plan.getSpec() != null) {
      var owner = plan.getSpec().ownerJob();
      faults.check(owner != null && !owner.isEmpty(), "spec.ownerJob", Texts.OWNER_JOB);
      Objects.requireNonNullElse(
              plan.getSpec().replicaResourceSpecs(), Map.<String, ReplicaResource>of())
          .forEach((role, size) -> {
            if (size != null) {
              faults.atLeast(0, size.replicas(), "spec.replicaResourceSpecs." + role, "replicas");
              faults.atMost(size.replicas(), "spec.replicaResourceSpecs." + role);
            }
          });
      faults.check(
          plan.getSpec().removePods() == null
              || plan.getSpec().removePods().size() <= Job.MOST_MEMBERS,
          "spec.removePods",
          Texts.MANY_PODS);
    }
    return List.copyOf(faults.found);
  }

  private void job(ElasticJobSpec spec) {
    var strategy = spec.distributionStrategy();
    check(
        strategy == null || STRATEGIES.contains(strategy),
        "spec.distributionStrategy",
        Texts.STRATEGY);
    var roles = spec.replicaSpecs();
    check(roles != null, ROLES, "replicaSpecs" + Texts.MISSING);
    if (roles == null) {
      return;
    }
    check(roles.get("worker") != null, ROLES, Texts.WORKER);
    check(
        strategy == null
            || !STRATEGIES.contains(strategy)
            || strategy.equals("AllreduceStrategy")
            || roles.get("ps") != null,
        ROLES,
        Texts.PARAMETER_SERVERS);
    check(
        roles.entrySet().stream()
            .allMatch(role ->
                role.getKey().equals(ElasticJob.MASTER)
                    || role.getValue() == null
                    || role.getValue().template() != null),
        ROLES,
        Texts.TEMPLATES);
    new TreeMap<>(roles)
        .forEach((name, role) -> {
          if (role != null) {
            role(name, role);
          }
        });
  }

  private void role(String name, ReplicaSpec role) {
    var field = ROLES + "." + name;
    atLeast(0, role.replicas(), field, "replicas");
    atMost(role.replicas(), field);
    atLeast(0, role.restartCount(), field, "restartCount");
    check(
        role.priority() == null || PRIORITY.matcher(role.priority()).matches(),
        ROLES + "[" + name + "].priority",
        Texts.PRIORITY);
    template(role.template(), field + ".template");
  }

  private void template(PodTemplateSpec template, String field) {
    if (template instanceof UnreadableTemplate unreadable) {
      var path = field + "." + unreadable.field();
      fatal(path, path.substring(path.lastIndexOf('.') + 1) + Texts.UNREADABLE);
    } else if (template != null && template.getSpec() == null) {
      fatal(field + ".spec", "spec" + Texts.MISSING);
    } else if (template != null) {
      var containers = template.getSpec().getContainers();
      check(
          containers != null && !containers.isEmpty(),
          field + ".spec.containers",
          Texts.CONTAINERS);
    }
  }

  private void atLeast(int least, Integer number, String role, String field) {
    check(number == null || number >= least, role + "." + field, field + Texts.AT_LEAST + least);
  }

  private void atMost(Integer replicas, String role) {
    check(
        replicas == null || replicas <= Job.MOST_MEMBERS,
        role + ".replicas",
        "replicas" + Texts.AT_MOST);
  }

  private void check(boolean holds, String field, String text) {
    if (!holds) {
      fatal(field, text);
    }
  }

  private void fatal(String field, String text) {
    found.add(new Fault(field, text, Optional.empty()));
  }
}
