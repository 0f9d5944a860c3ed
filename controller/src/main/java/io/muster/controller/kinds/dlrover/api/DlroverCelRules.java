package io.muster.controller.kinds.dlrover.api;

/**
 * The rules in CEL, as the CRDs bear them. Their texts are in {@link DlroverRuleMessages}. None may
 * stand in the way of an object that was stored before it.
 */
final class DlroverCelRules {

  /** Bounds what the API server may have to check; there are five roles. */
  static final int MOST_ROLES = 16;

  static final int LONGEST_PRIORITY = 16;

  /** Only at creation: whatever is there has its name for good. */
  static final String JOB_NAME =
      "oldSelf.hasValue() || (size(self.metadata.name) <= 37"
          + " && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$'))";

  static final String SPEC = "has(self.spec) || (oldSelf.hasValue() && !has(oldSelf.value().spec))";
  static final String STRATEGY =
      "self in ['AllreduceStrategy', 'ParameterServerStrategy', 'CustomStrategy']";
  static final String WORKER = "'worker' in self";
  static final String TEMPLATES =
      "self.all(role, role == 'dlrover-master' || has(self[role].template))";
  static final String PARAMETER_SERVERS =
      "!has(self.distributionStrategy) || self.distributionStrategy == 'AllreduceStrategy'"
          + " || 'ps' in self.replicaSpecs"
          + " || (oldSelf.hasValue() && oldSelf.value().?distributionStrategy.orValue('')"
          + " == self.distributionStrategy)";
  static final String PRIORITY =
      "self in ['', 'high', 'low']"
          + " || self.matches('^(0?\\\\.[0-9]*[1-9][0-9]*|1(\\\\.0*)?)$')";
  static final String OWNER_JOB = "has(self.ownerJob) && self.ownerJob != ''";

  private DlroverCelRules() {}
}
