package io.muster.controller.kinds.di.job;

import io.muster.controller.kinds.di.api.DIJob;
import java.util.Locale;

/** Names, labels and annotations that DI-engine and its users rely on. */
public final class DiNames {

  /** On pods with tasks. */
  public static final String JOB_LABEL = "diengine/job";

  public static final String OPERATOR_LABEL = "diengine/operator";
  public static final String OPERATOR = "di-operator";
  public static final String TASK_TYPE_LABEL = "diengine/task-type";
  public static final String TASK_LABEL = "diengine/task-name";
  public static final String POD_LABEL = "diengine/pod";

  /** Only of pods that are copies of one template. */
  public static final String GROUP_LABEL = "diengine/group";

  public static final String REPLICAS = "diengine/replicas";
  public static final String RANK = "diengine/rank";
  public static final String TASK_RANK = "diengine/task-rank";
  public static final String NODE = "diengine/node";

  /** Only of pods that are copies of one template. */
  public static final String GENERATION = "diengine/generation";

  /** On a job of one template: how many copies there are to be by now. */
  public static final String COPIES = "muster.io/replicas";

  /** On a job: {@code all} or {@code learner}, with whose pods it ends. */
  public static final String COMPLETION = "muster.io/completion-policy";

  /** What the one kind of pod is called where there is one template and no tasks. */
  public static final String COPY = "pod";

  /** Pods that are copies of one template are numbered within a generation; it never ends here. */
  public static final String ONLY_GENERATION = "0";

  /** The PriorityClass of pods whose job has the priority {@code high}. */
  public static final String HIGH = "dijob-high";

  static final String MAIN_CONTAINER = "di-container";
  public static final String MAIN_PORT = "di-port";
  public static final int PORT = 22270;

  private DiNames() {}

  /** The headless Service of a job with tasks or one template. */
  public static String service(DIJob job) {
    var name = job.getMetadata().getName();
    return job.getSpec().tasks() == null ? name : "di-" + name;
  }

  /** What the pods of a task are called, without their number. */
  public static String pods(DIJob job, String task) {
    var name = job.getMetadata().getName();
    return name + "-" + (job.getSpec().tasks() == null ? ONLY_GENERATION : task);
  }

  /** The variable that lists the pods of a task. */
  public static String nodesVariable(String task) {
    return "DI_" + task.toUpperCase(Locale.ROOT).replace('-', '_') + "_NODES";
  }
}
