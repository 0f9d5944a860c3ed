package io.muster.controller.kinds.paddle.api;

import io.muster.controller.core.job.Job;

/**
 * What users are told, by the rules in the CRD and by {@link PaddleValidation} alike. Each names
 * its field and the way out.
 */
final class PaddleRuleMessages {

  static final String JOB_NAME =
      "metadata.name must be at most 49 characters of a-z, 0-9 and '-' and neither begin nor end with"
          + " '-', since pods are named after it; choose another name";

  /** Begins as PaddlePaddle's own controller says it. */
  static final String RIGID =
      "max-instances should equal to min-instances when fault_tolerant is disabled; set"
          + " fault_tolerant to true, or trainer.max-instance to trainer.min-instance";

  static final String MEMBERS =
      "master, pserver and trainer are more than "
          + Job.MOST_MEMBERS
          + " together, the most members of a gang; lower pserver.min-instance or"
          + " trainer.max-instance";

  static final String PORTS =
      "port, ports_num and ports_num_for_sparse lead beyond port 65535; lower one of them";
  static final String SAME_TOLERANCE =
      "fault_tolerant cannot be changed; delete the job and create it anew";
  static final String SAME_MIN =
      "min-instance cannot be changed, since trainers that run were told of it; delete the job and"
          + " create it anew";
  static final String SAME_PSERVERS =
      "pserver.min-instance cannot be changed, since each of them holds a part of the parameters;"
          + " delete the job and create it anew";
  static final String ENTRYPOINT =
      "entrypoint is empty; set it to the command by which a trainer trains";
  static final String MAX_INSTANCE =
      "max-instance is below min-instance; raise max-instance or lower min-instance";
  static final String PARALLELISM =
      "parallelism must be from min-instance to max-instance; leave it out where Muster shall decide";
  static final String ENDPOINT = "etcd-endpoint must be host:port, with http:// before it or not";
  static final String FAILURE_LIMIT =
      "trainer-failure-limit must be a whole number from 0 to 100000: failed trainers that are"
          + " recreated";
  static final String GRACE_SECONDS =
      "grace-seconds must be a whole number from 0 to 86400: seconds that a pod which is to go has for"
          + " it";

  /** Of a resource, behind the name of the field. */
  static final String NO_QUANTITY = " is no quantity; write it like 200m, 2 or 1Gi";

  /** Of a resource, behind the name of the field. */
  static final String ABOVE_LIMIT = " is above its limit; lower it or raise the limit";

  /** After the name of the field, before the numbers. */
  static final String BETWEEN = " must be from %d to %d";

  private PaddleRuleMessages() {}
}
