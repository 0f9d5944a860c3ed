package io.muster.controller.kinds.di.coordinator;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.job.DiNames;
import io.muster.controller.kube.Marks;
import java.util.Map;
import java.util.TreeMap;

/** Names, labels and ports of jobs with a coordinator. */
public final class CoordinatorNames {

  public static final String COORDINATOR = "coordinator";
  static final String COLLECTOR = "collector";
  public static final String LEARNER = "learner";
  static final String AGGREGATOR = "aggregator";
  static final String DDP_LEARNER = "ddp-learner";

  public static final String JOB_LABEL = "dijob-name";
  static final String TYPE_LABEL = "replica-type";
  static final String POD_LABEL = "pod-name";
  static final String DDP_LABEL = "ddp-learner-type";

  /** The request for which a pod was made. */
  public static final String REQUEST_LABEL = "muster.io/worker-request";

  /** On pods: their role and index in the engine. */
  static final String ROLE = "muster.io/role";

  public static final String INDEX = "muster.io/index";

  /** Of the first of several pods that train together. */
  static final int MASTER_PORT = 10314;

  private static final Map<String, Integer> PORTS =
      Map.of(COORDINATOR, 22273, COLLECTOR, 22270, LEARNER, 22271, AGGREGATOR, 22272);

  private CoordinatorNames() {}

  /** The port of a pod whose main container names none. */
  static int port(String type) {
    return PORTS.get(work(type));
  }

  /** Whose work a pod does: one of several that train together is a learner. */
  static String work(String type) {
    return type.equals(DDP_LEARNER) ? LEARNER : type;
  }

  /** The name of a job's coordinator. */
  public static String coordinator(DIJob job) {
    return job.getMetadata().getName() + "-" + COORDINATOR;
  }

  static Map<String, String> labels(DIJob job, String type, String pod) {
    var labels = new TreeMap<String, String>();
    labels.put("group-name", DIJob.GROUP);
    labels.put(JOB_LABEL, job.getMetadata().getName());
    labels.put("controller-name", DiNames.OPERATOR);
    labels.put(TYPE_LABEL, type);
    labels.put(POD_LABEL, pod);
    return labels;
  }

  /** What a pod is; empty text if it does not say. */
  public static String type(Pod pod) {
    return Marks.labels(pod).getOrDefault(TYPE_LABEL, "");
  }
}
