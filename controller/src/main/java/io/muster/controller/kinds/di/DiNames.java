package io.muster.controller.kinds.di;

import io.muster.controller.kinds.di.api.DIJob;
import java.util.Locale;

/** Names, labels and annotations that DI-engine and its users rely on. */
public final class DiNames {

  /** On pods with tasks. */
  public static final String JOB_LABEL = "diengine/job";

  static final String OPERATOR_LABEL = "diengine/operator";
  static final String OPERATOR = "di-operator";
  static final String TASK_TYPE_LABEL = "diengine/task-type";
  static final String TASK_LABEL = "diengine/task-name";
  static final String POD_LABEL = "diengine/pod";

  static final String REPLICAS = "diengine/replicas";
  static final String RANK = "diengine/rank";
  static final String TASK_RANK = "diengine/task-rank";
  static final String NODE = "diengine/node";

  /** Only of pods that are copies of one template. */
  static final String GENERATION = "diengine/generation";

  /** On a job of one template: how many copies there are to be by now. */
  public static final String COPIES = "muster.io/replicas";

  /** On a job: {@code all} or {@code learner}, with whose pods it ends. */
  static final String COMPLETION = "muster.io/completion-policy";

  /** What the one kind of pod is called where there is one template and no tasks. */
  static final String COPY = "pod";

  /** Pods that are copies of one template are numbered within a generation; it never ends here. */
  static final String ONLY_GENERATION = "0";

  /** The PriorityClass of pods whose job has the priority {@code high}. */
  static final String HIGH = "dijob-high";

  static final String MAIN_CONTAINER = "di-container";
  static final String MAIN_PORT = "di-port";
  static final int PORT = 22270;

  private DiNames() {}

  /** The headless Service of a job with tasks or one template. */
  static String service(DIJob job) {
    var name = job.getMetadata().getName();
    return job.getSpec().tasks() == null ? name : "di-" + name;
  }

  /** What the pods of a task are called, without their number. */
  static String pods(DIJob job, String task) {
    var name = job.getMetadata().getName();
    return name + "-" + (job.getSpec().tasks() == null ? ONLY_GENERATION : task);
  }

  /** The variable that lists the pods of a task. */
  static String nodesVariable(String task) {
    return "DI_" + task.toUpperCase(Locale.ROOT).replace('-', '_') + "_NODES";
  }
}
