package io.muster.controller.kinds.etoperator.api.rules;

import io.muster.controller.core.job.Job;

/**
 * The rules in CEL, as the CRDs bear them. Their texts are in {@link EtOperatorRuleMessages}. None
 * may stand in the way of an object that was stored before it: the API server itself lets unchanged
 * values pass, but not at the root, and not above fields that the schema does not know, as a pod
 * template has.
 */
public final class EtOperatorCelRules {

  /** Only at creation: whatever is there has its name for good. */
  public static final String JOB_NAME =
      "oldSelf.hasValue() || (size(self.metadata.name) <= 51"
          + " && self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$'))";

  /** Only at creation, as above. */
  public static final String SCALE_OUT_NAME =
      "oldSelf.hasValue() || size(self.metadata.name) <= 63";

  public static final String SPEC =
      "has(self.spec) || (oldSelf.hasValue() && !has(oldSelf.value().spec))";

  public static final String MIN_REPLICAS =
      "!has(self.minReplicas) || !has(self.replicas) || self.minReplicas <= self.replicas"
          + " || (oldSelf.?minReplicas.orValue(0) == self.minReplicas"
          + " && oldSelf.?replicas.orValue(0) == self.replicas)";
  public static final String MAX_REPLICAS =
      "!has(self.maxReplicas) || !has(self.replicas) || self.replicas <= self.maxReplicas"
          + " || (oldSelf.?maxReplicas.orValue(0) == self.maxReplicas"
          + " && oldSelf.?replicas.orValue(0) == self.replicas)";
  public static final String CLEAN_POD_POLICY = "self in ['Running', 'All', 'None']";
  public static final String ATTACH_MODE = "self in ['ssh', 'kubexec']";
  public static final String JOB_RESTART = "self in ['Never', 'OnFailure']";
  public static final String POD_RESTART = "self in ['Never', 'OnFailure', 'Always', 'ExitCode']";
  public static final String SCALE_POLICY = "self in ['Manual', 'Auto']";
  public static final String SELECTOR =
      "has(self.selector) && has(self.selector.name) && self.selector.name != ''";
  public static final String TO_DELETE =
      "has(self.toDelete) && (has(self.toDelete.count) || has(self.toDelete.podNames))";
  public static final String TO_DELETE_TWICE =
      "!has(self.toDelete) || !has(self.toDelete.count) || !has(self.toDelete.podNames)";
  public static final String POD_NAMES = "size(self) > 0";
  public static final String COUNT = "self >= 1 && self <= " + Job.MOST_MEMBERS;
  public static final String TO_ADD = "has(self.toAdd) && has(self.toAdd.count)";

  private EtOperatorCelRules() {}
}
