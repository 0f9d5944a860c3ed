package io.muster.controller.kinds.dlrover.job;

import io.muster.controller.kinds.dlrover.api.ElasticJob;
import java.util.Map;
import java.util.TreeMap;

/** Names, labels and annotations that DLRover's master and its users rely on. */
public final class DlroverNames {

  static final String APP_LABEL = "app.kubernetes.io/name";
  static final String APP = "elasticjob";
  public static final String JOB_LABEL = "elasticjob.dlrover/name";
  public static final String ROLE_LABEL = "elasticjob.dlrover/replica-type";
  public static final String INDEX_LABEL = "elasticjob.dlrover/replica-index";

  public static final String RANK_LABEL = "elasticjob.dlrover/rank-index";
  public static final String RELAUNCHES_LABEL = "elasticjob.dlrover/relaunch-count";

  /** Names the plan for which a worker was made. */
  public static final String PLAN_LABEL = "muster.io/scale-plan";

  /** On plans: who wrote them, and an older way to name their job. */
  public static final String PLAN_ORIGIN_LABEL = "scale-type";

  public static final String OLD_JOB_LABEL = "elasticjob-name";

  /** Who makes the workers: {@code upstream-master} or {@code builtin}. */
  public static final String MODE = "muster.io/dlrover-mode";

  /** {@code release}: the workers of a suspended job go, and come back later. */
  static final String SUSPEND_POLICY = "muster.io/suspend-policy";

  /** The account under which masters speak to the apiserver, in each namespace with such jobs. */
  public static final String MASTER_ACCOUNT = "muster-dlrover-master";

  public static final int MASTER_PORT = 50001;

  private DlroverNames() {}

  /** What its master's pods are called, without their number; and its Service. */
  public static String master(String job) {
    return "elasticjob-" + job + "-" + ElasticJob.MASTER;
  }

  /** What its workers' pods are called, without their number; and their Services, by rank. */
  public static String workers(String job) {
    return job + "-edljob-" + ElasticJob.WORKER;
  }

  /** What the master's Service selects. */
  public static Map<String, String> masterLabels(String job) {
    return new TreeMap<>(Map.of(APP_LABEL, APP, JOB_LABEL, job, ROLE_LABEL, ElasticJob.MASTER));
  }
}
