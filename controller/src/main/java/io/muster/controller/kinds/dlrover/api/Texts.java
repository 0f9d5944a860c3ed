package io.muster.controller.kinds.dlrover.api;

import io.muster.controller.core.job.Job;

/**
 * What users are told, by the rules in the CRDs and by {@link Faults} alike. Each names its field
 * and the way out.
 */
final class Texts {

  static final String SPEC = "spec is missing; say what is wanted";
  static final String JOB_NAME =
      "metadata.name must be at most 37 characters of a-z, 0-9 and '-', begin with a letter and end"
          + " with a letter or digit, since Services are named after it; choose another name";
  static final String STRATEGY =
      "distributionStrategy must be AllreduceStrategy, ParameterServerStrategy or CustomStrategy";
  static final String WORKER = "replicaSpecs has no worker; add it, in lower case";
  static final String TEMPLATES =
      "replicaSpecs has a role without template; add it: only dlrover-master may go without";
  static final String PARAMETER_SERVERS =
      "replicaSpecs has no ps, which this distributionStrategy needs; add it, or set"
          + " distributionStrategy to AllreduceStrategy";
  static final String PRIORITY = "priority must be high, low, or a number above 0 and at most 1";
  static final String CONTAINERS = "containers is empty; add the container that trains";
  static final String OWNER_JOB =
      "ownerJob is missing; set it to the name of an ElasticJob in this namespace";

  /** After the name of the field, before the number. */
  static final String AT_LEAST = " must be at least ";

  /** After the name of the field. */
  static final String AT_MOST =
      " must be at most " + Job.MOST_MEMBERS + ", the most members of a gang";

  static final String MANY_PODS =
      "removePods has more than " + Job.MOST_MEMBERS + " pods; write several plans";

  /** After the name of the field. */
  static final String MISSING = " is missing; add it";

  /** After the name of the field. */
  static final String UNREADABLE =
      " has another form than the API gives it; kubectl explain shows the right one";

  private Texts() {}
}
