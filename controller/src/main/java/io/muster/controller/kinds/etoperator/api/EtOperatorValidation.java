package io.muster.controller.kinds.etoperator.api;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.muster.controller.api.Fault;
import io.muster.controller.api.ResizeCost;
import io.muster.controller.api.Validation;
import io.muster.controller.kinds.etoperator.api.rules.EtOperatorRuleMessages;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * Why a job cannot be served as it is stored. The CRDs refuse the same, so this finds something
 * only in jobs stored under other CRDs. Meant for jobs that nothing has been made for yet: those
 * with pods are served to their end; a value of which no sense can be made is as good as none.
 * Stateless; safe for concurrent use.
 */
public final class EtOperatorValidation extends Validation {

  private static final int LONGEST_JOB_NAME = 51;
  private static final Pattern JOB_NAME = Pattern.compile("[a-z]([-a-z0-9]*[a-z0-9])?");

  private EtOperatorValidation() {}

  /** Faults of a job, in the order of its fields; empty if it can be served as it stands. */
  public static List<Fault> in(TrainingJob job) {
    var faults = new EtOperatorValidation();
    var name = nameOf(job.getMetadata());
    faults.check(
        name.length() <= LONGEST_JOB_NAME && JOB_NAME.matcher(name).matches(),
        "metadata.name",
        EtOperatorRuleMessages.JOB_NAME);
    faults.annotations(job.getMetadata());
    if (faults.hasSpec(job.getSpec())) {
      faults.job(job.getSpec());
    }
    return faults.found();
  }

  /** The CRDs cannot check annotations. */
  private void annotations(ObjectMeta metadata) {
    var said = metadata == null ? null : metadata.getAnnotations();
    var budget = said == null ? null : said.get(TrainingJob.RESTART_BUDGET);
    check(
        budget == null
            || (budget.matches("[0-9]{1,4}")
                && Integer.parseInt(budget) <= TrainingJob.LARGEST_RESTART_BUDGET),
        "metadata.annotations[" + TrainingJob.RESTART_BUDGET + "]",
        EtOperatorRuleMessages.RESTART_BUDGET);
    check(
        ResizeCost.isSound(said == null ? Map.of() : said),
        "metadata.annotations[" + ResizeCost.ANNOTATION + "]",
        ResizeCost.TEXT);
    var start = said == null ? null : said.get(TrainingJob.START_AT_MIN);
    check(
        start == null || start.equals("true") || start.equals("false"),
        "metadata.annotations[" + TrainingJob.START_AT_MIN + "]",
        EtOperatorRuleMessages.START_AT_MIN);
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

  private static String nameOf(ObjectMeta metadata) {
    return metadata == null || metadata.getName() == null ? "" : metadata.getName();
  }
}
