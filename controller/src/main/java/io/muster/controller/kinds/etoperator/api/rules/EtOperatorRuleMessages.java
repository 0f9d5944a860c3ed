package io.muster.controller.kinds.etoperator.api.rules;

import io.muster.controller.core.job.Job;

/**
 * What users are told, by the rules in the CRDs and by {@code EtOperatorValidation} alike. Each
 * names its field and the way out.
 */
public final class EtOperatorRuleMessages {

  public static final String JOB_NAME =
      "metadata.name must be at most 51 characters of a-z, 0-9 and '-', begin with a letter and end"
          + " with a letter or digit, since Services are named after it; choose another name";
  public static final String SCALE_OUT_NAME =
      "metadata.name must be at most 63 characters, since pods are labelled with it; choose a"
          + " shorter name";
  public static final String MIN_REPLICAS =
      "minReplicas is above replicas; lower minReplicas or raise replicas";
  public static final String MAX_REPLICAS =
      "replicas is above maxReplicas; lower replicas or raise maxReplicas";
  public static final String CLEAN_POD_POLICY = "cleanPodPolicy must be Running, All or None";
  public static final String ATTACH_MODE = "launcherAttachMode must be ssh or kubexec";
  public static final String JOB_RESTART = "restartPolicy must be Never or OnFailure";
  public static final String POD_RESTART =
      "restartPolicy must be Never, OnFailure, Always or ExitCode";
  public static final String SCALE_POLICY = "scalePolicy must be Manual or Auto";
  public static final String SELECTOR =
      "selector.name is missing; set it to the name of a TrainingJob in this namespace";
  public static final String TO_DELETE =
      "toDelete says nothing; set either toDelete.count or toDelete.podNames";
  public static final String TO_DELETE_TWICE =
      "toDelete has both count and podNames; leave one of them out";
  public static final String POD_NAMES =
      "podNames is empty; name the workers to take away, or set count instead";
  public static final String COUNT = "count must be from 1 to " + Job.MOST_MEMBERS;
  public static final String TO_ADD =
      "toAdd.count is missing; set it to the number of workers to add, at least 1";

  public static final String RESTART_BUDGET =
      "worker-restart-budget must be a whole number from 0 to 1000: lost workers that are replaced"
          + " within an hour";
  public static final String START_AT_MIN = "start-at-min must be \"true\" or \"false\"";

  private EtOperatorRuleMessages() {}
}
