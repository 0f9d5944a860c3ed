package io.muster.controller.kinds.etoperator.api;

import io.muster.controller.api.Fault;
import io.muster.controller.api.ResizeCost;
import io.muster.controller.api.RuleTable;
import io.muster.controller.api.Validation;
import io.muster.controller.kube.Marks;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Why a job cannot be served as it is stored. The CRDs refuse the same, so this finds something
 * only in jobs stored under other CRDs. Meant for jobs that nothing has been made for yet: those
 * with pods are served to their end; a value of which no sense can be made is as good as none.
 * Stateless; safe for concurrent use.
 */
public final class EtOperatorValidation extends Validation {

  private static final RuleTable RULES = RuleTable.beside(TrainingJob.class);

  private EtOperatorValidation() {
    super(RULES);
  }

  /** Faults of a job, in the order of its fields; empty if it can be served as it stands. */
  public static List<Fault> in(TrainingJob job) {
    var faults = new EtOperatorValidation();
    faults.rule("name", Objects.requireNonNullElse(job.getMetadata().getName(), ""));
    faults.annotations(Marks.annotations(job));
    if (faults.hasSpec(job.getSpec())) {
      faults.job(job.getSpec());
    }
    return faults.found();
  }

  /** The CRDs cannot check annotations. */
  private void annotations(Map<String, String> said) {
    var budget = said.getOrDefault(TrainingJob.RESTART_BUDGET, "0");
    check(
        budget.matches("[0-9]{1,4}")
            && Integer.parseInt(budget) <= TrainingJob.LARGEST_RESTART_BUDGET,
        "metadata.annotations[" + TrainingJob.RESTART_BUDGET + "]",
        "worker-restart-budget must be a whole number from 0 to 1000: lost workers that are replaced"
            + " within an hour");
    check(
        ResizeCost.isSound(said),
        "metadata.annotations[" + ResizeCost.ANNOTATION + "]",
        ResizeCost.TEXT);
    check(
        Set.of("true", "false").contains(said.getOrDefault(TrainingJob.START_AT_MIN, "false")),
        "metadata.annotations[" + TrainingJob.START_AT_MIN + "]",
        "start-at-min must be \"true\" or \"false\"");
  }

  private void job(TrainingJobSpec spec) {
    var roles = spec.etReplicaSpecs();
    if (isThere(roles, "spec.etReplicaSpecs")) {
      launcher(roles.launcher(), "spec.etReplicaSpecs.launcher");
      worker(roles.worker(), "spec.etReplicaSpecs.worker");
    }
  }

  private void launcher(LauncherSpec launcher, String field) {
    if (isThere(launcher, field)) {
      template(launcher.template(), field + ".template");
    }
  }

  private void worker(WorkerSpec worker, String field) {
    if (isThere(worker, field)) {
      mayBeMembers(worker.replicas(), field + ".replicas");
      template(worker.template(), field + ".template");
    }
  }
}
