package io.muster.controller.kinds.dlrover.api;

/**
 * What users are told, by the rules in the CRDs and by {@link DlroverValidation} alike. Each names
 * its field and the way out.
 */
final class DlroverRuleMessages {

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
  static final String OWNER_JOB =
      "ownerJob is missing; set it to the name of an ElasticJob in this namespace";

  private DlroverRuleMessages() {}
}
