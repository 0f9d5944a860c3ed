package io.muster.controller.kinds.etoperator.job;

import io.muster.controller.kinds.etoperator.api.TrainingJob;
import io.muster.controller.kube.Marks;
import java.util.Map;
import java.util.TreeMap;

/** Names, labels and annotations that et-operator's users rely on. */
public final class EtOperatorNames {

  public static final String WORKER = "worker";
  public static final String LAUNCHER = "launcher";

  public static final String GROUP_LABEL = "group-name";
  public static final String JOB_LABEL = "training-job-name";
  public static final String ROLE_LABEL = "training-job-role";
  public static final String INDEX_LABEL = "replica-index";
  public static final String SCALE_OUT_LABEL = "scaleout-name";
  public static final String APP_LABEL = "app";

  /** Of the launcher: where its list of workers is. */
  static final String HOSTS_VOLUME = "training-job-hostfile";

  /** On scalers that were made in the user's stead. */
  public static final String GENERATED_LABEL = "auto-generated";

  public static final String JOB_ID_LABEL = "job-id";

  public static final String SSH_SECRET = "arena.kubeflow.org/ssh-secret";
  static final String SUSPENDED = "job-supervisor.kube-ai.io/job-suspended";
  static final String MAX_WAIT = "job-supervisor.kube-ai.io/max-wait-time";
  public static final String JOB_STATUS = "job-supervisor.kube-ai.io/job-status";
  static final String HELD = "scheduling.x-k8s.io/suspend";

  private EtOperatorNames() {}

  public static String workers(String job) {
    return job + "-worker";
  }

  public static String launcher(String job) {
    return job + "-launcher";
  }

  public static String config(String job) {
    return job + "-config";
  }

  /** The Secret with the key for ssh: the user's own, if the job names one. */
  public static String sshSecret(TrainingJob job) {
    var named = Marks.annotations(job).getOrDefault(SSH_SECRET, "");
    return named.isEmpty() ? job.getMetadata().getName() : named;
  }

  /** What every pod of the job bears. */
  public static Map<String, String> labels(String job) {
    return new TreeMap<>(Map.of(GROUP_LABEL, TrainingJob.GROUP, JOB_LABEL, job));
  }

  public static Map<String, String> labels(String job, String role) {
    var labels = labels(job);
    labels.put(ROLE_LABEL, role);
    return labels;
  }
}
