package io.muster.controller.kinds.etoperator.api;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.muster.controller.api.Fault;
import io.muster.controller.api.ResizeCost;
import io.muster.controller.api.Validation;
import io.muster.controller.core.job.Job;
import io.muster.controller.kinds.etoperator.api.rules.EtOperatorRuleMessages;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What cannot be honoured in an object as it is stored. The CRDs refuse the same, so this finds
 * something only in objects stored under other CRDs. Meant for objects that nothing has been made
 * for yet: those with pods are served to their end. Stateless; safe for concurrent use.
 */
public final class EtOperatorValidation extends Validation {

  private static final int LONGEST_JOB_NAME = 51;
  private static final int LONGEST_LABEL_VALUE = 63;
  private static final Pattern JOB_NAME = Pattern.compile("[a-z]([-a-z0-9]*[a-z0-9])?");
  private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
  private static final Set<String> POD_RESTART = Set.of("Never", "OnFailure", "Always", "ExitCode");

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

  /** Faults of a scale-in, in the order of its fields; empty if it can be served as it stands. */
  public static List<Fault> in(ScaleIn scaler) {
    var faults = new EtOperatorValidation();
    if (faults.hasSpec(scaler.getSpec())) {
      faults.scaler(scaler.getSpec());
      faults.toDelete(scaler.getSpec().toDelete());
    }
    return faults.found();
  }

  /** Faults of a scale-out, in the order of its fields; empty if it can be served as it stands. */
  public static List<Fault> in(ScaleOut scaler) {
    var faults = new EtOperatorValidation();
    faults.check(
        nameOf(scaler.getMetadata()).length() <= LONGEST_LABEL_VALUE,
        "metadata.name",
        EtOperatorRuleMessages.SCALE_OUT_NAME);
    if (faults.hasSpec(scaler.getSpec())) {
      faults.scaler(scaler.getSpec());
      var toAdd = scaler.getSpec().toAdd();
      if (toAdd == null || toAdd.count() == null) {
        faults.fatal("spec.toAdd", EtOperatorRuleMessages.TO_ADD);
      } else {
        faults.count(toAdd.count(), "spec.toAdd.count");
      }
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
    among(
        Set.of("Running", "All", "None"),
        spec.cleanPodPolicy(),
        "spec.cleanPodPolicy",
        EtOperatorRuleMessages.CLEAN_POD_POLICY,
        "Running");
    among(
        Set.of("ssh", "kubexec"),
        spec.launcherAttachMode(),
        "spec.launcherAttachMode",
        EtOperatorRuleMessages.ATTACH_MODE,
        "ssh");
    atLeast(1, spec.slotsPerWorker(), "spec.slotsPerWorker", "1");
    among(
        Set.of("Never", "OnFailure"),
        spec.restartPolicy(),
        "spec.restartPolicy",
        EtOperatorRuleMessages.JOB_RESTART,
        "Never");
    atLeast(0, spec.backoffLimit(), "spec.backoffLimit", "0");
    among(
        Set.of("Manual", "Auto"),
        spec.scalePolicy(),
        "spec.scalePolicy",
        EtOperatorRuleMessages.SCALE_POLICY,
        "Manual");
    atLeast(1, spec.autoScaleIntervalSeconds(), "spec.autoScaleIntervalSeconds", "60");
    atLeast(0, spec.ttlSecondsAfterFinished(), "spec.ttlSecondsAfterFinished", "0");
    atLeast(1, spec.activeDeadlineSeconds(), "spec.activeDeadlineSeconds", "1");
    var roles = spec.etReplicaSpecs();
    if (isThere(roles, "spec.etReplicaSpecs")) {
      launcher(roles.launcher(), "spec.etReplicaSpecs.launcher");
      worker(roles.worker(), "spec.etReplicaSpecs.worker");
    }
  }

  private void launcher(LauncherSpec launcher, String field) {
    if (isThere(launcher, field)) {
      if (launcher.replicas() != null && launcher.replicas() != 1) {
        instead(field + ".replicas", EtOperatorRuleMessages.LAUNCHER_REPLICAS, "1");
      }
      among(
          POD_RESTART,
          launcher.restartPolicy(),
          field + ".restartPolicy",
          EtOperatorRuleMessages.POD_RESTART,
          "OnFailure");
      template(launcher.template(), field + ".template");
    }
  }

  private void worker(WorkerSpec worker, String field) {
    if (isThere(worker, field)) {
      atLeast(1, worker.replicas(), field + ".replicas", "1");
      atLeast(1, worker.minReplicas(), field + ".minReplicas", "1");
      atLeast(1, worker.maxReplicas(), field + ".maxReplicas", "replicas");
      int replicas = worker.replicas() == null ? 1 : worker.replicas();
      mayBeMembers(replicas, field + ".replicas");
      if (worker.maxReplicas() != null && worker.maxReplicas() > Job.MOST_MEMBERS) {
        instead(
            field + ".maxReplicas",
            "maxReplicas" + MOST_MEMBERS,
            Integer.toString(Job.MOST_MEMBERS));
      }
      if (worker.minReplicas() != null && worker.minReplicas() > replicas) {
        instead(field + ".minReplicas", EtOperatorRuleMessages.MIN_REPLICAS, "replicas");
      }
      if (worker.maxReplicas() != null && replicas > Math.max(1, worker.maxReplicas())) {
        instead(field + ".maxReplicas", EtOperatorRuleMessages.MAX_REPLICAS, "replicas");
      }
      among(
          POD_RESTART,
          worker.restartPolicy(),
          field + ".restartPolicy",
          EtOperatorRuleMessages.POD_RESTART,
          "Never");
      template(worker.template(), field + ".template");
    }
  }

  private void scaler(ScalerSpec spec) {
    var job = spec.selector();
    check(
        job != null && job.name() != null && !job.name().isEmpty(),
        "spec.selector",
        EtOperatorRuleMessages.SELECTOR);
    atLeast(1, spec.timeout(), "spec.timeout", "60");
    atLeast(0, spec.backoffLimit(), "spec.backoffLimit", "0");
    var env = spec.env() == null ? List.<ScriptVariable>of() : spec.env();
    for (int i = 0; i < env.size(); i++) {
      var name = env.get(i) == null ? null : env.get(i).name();
      check(
          name != null && VARIABLE.matcher(name).matches(),
          "spec.env[" + i + "].name",
          EtOperatorRuleMessages.VARIABLE);
    }
  }

  private void toDelete(ToDelete toDelete) {
    if (toDelete == null || (toDelete.count() == null && toDelete.podNames() == null)) {
      fatal("spec.toDelete", EtOperatorRuleMessages.TO_DELETE);
      return;
    }
    check(
        toDelete.count() == null || toDelete.podNames() == null,
        "spec.toDelete",
        EtOperatorRuleMessages.TO_DELETE_TWICE);
    count(toDelete.count(), "spec.toDelete.count");
    check(
        toDelete.podNames() == null || !toDelete.podNames().isEmpty(),
        "spec.toDelete.podNames",
        EtOperatorRuleMessages.POD_NAMES);
    check(
        toDelete.podNames() == null || toDelete.podNames().size() <= Job.MOST_MEMBERS,
        "spec.toDelete.podNames",
        EtOperatorRuleMessages.MANY_POD_NAMES);
  }

  private void count(Integer count, String field) {
    check(
        count == null || (count >= 1 && count <= Job.MOST_MEMBERS),
        field,
        EtOperatorRuleMessages.COUNT);
  }

  private void among(Set<String> words, String word, String field, String text, String instead) {
    if (word != null && !words.contains(word)) {
      instead(field, text, instead);
    }
  }

  private void atLeast(int least, Integer number, String field, String instead) {
    if (number != null && number < least) {
      instead(field, lastPart(field) + AT_LEAST + least, instead);
    }
  }

  private static String nameOf(ObjectMeta metadata) {
    return metadata == null || metadata.getName() == null ? "" : metadata.getName();
  }
}
