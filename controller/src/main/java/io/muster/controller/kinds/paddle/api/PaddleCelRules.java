package io.muster.controller.kinds.paddle.api;

import io.muster.controller.core.job.Job;

/**
 * The rules in CEL, as the CRD bears them. Their texts are in {@link PaddleRuleMessages}. None may
 * stand in the way of an object that was stored before it. CEL writes a dash in a field's name as
 * {@code __dash__}.
 */
final class PaddleCelRules {

  /** Of one role; all together may be {@link Job#MOST_MEMBERS}. */
  static final int MOST_INSTANCES = 4000;

  /** Only at creation: whatever is there has its name for good. */
  static final String JOB_NAME =
      "oldSelf.hasValue() || (size(self.metadata.name) <= 49"
          + " && self.metadata.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$'))";

  static final String SPEC = "has(self.spec) || (oldSelf.hasValue() && !has(oldSelf.value().spec))";

  static final String RIGID =
      "(has(self.fault_tolerant) && self.fault_tolerant)"
          + " || !has(self.trainer.max__dash__instance)"
          + " || self.trainer.max__dash__instance <= self.trainer.min__dash__instance"
          + " || (oldSelf.hasValue() && oldSelf.value().trainer.?max__dash__instance.orValue(0)"
          + " == self.trainer.max__dash__instance)";

  /** A max-instance that was stored before stays. */
  static final String MEMBERS =
      "(has(self.fault_tolerant) && self.fault_tolerant ? 1 : 0)"
          + " + self.?pserver.?min__dash__instance.orValue(0)"
          + " + [self.trainer.min__dash__instance,"
          + " self.trainer.?max__dash__instance.orValue(0)].max() <= "
          + Job.MOST_MEMBERS
          + " || (oldSelf.hasValue() && oldSelf.value().trainer.?max__dash__instance.orValue(0)"
          + " == self.trainer.?max__dash__instance.orValue(0))";

  static final String PORTS =
      "!has(self.port) || !has(self.ports_num) || !has(self.ports_num_for_sparse)"
          + " || self.port + self.ports_num + self.ports_num_for_sparse <= 65536";

  static final String SAME_TOLERANCE =
      "(has(self.fault_tolerant) && self.fault_tolerant)"
          + " == (has(oldSelf.fault_tolerant) && oldSelf.fault_tolerant)";

  static final String SAME_PSERVERS =
      "self.?pserver.?min__dash__instance.orValue(0)"
          + " == oldSelf.?pserver.?min__dash__instance.orValue(0)";

  static final String SAME = "self == oldSelf";
  static final String NOT_EMPTY = "self != ''";

  static final String MAX_INSTANCE =
      "!has(self.max__dash__instance) || self.max__dash__instance == 0"
          + " || self.max__dash__instance >= self.min__dash__instance"
          + " || (oldSelf.hasValue() && oldSelf.value().?max__dash__instance.orValue(0)"
          + " == self.max__dash__instance)";

  /** A new max-instance may be below what was asked for before: the job shrinks to it. */
  static final String PARALLELISM =
      "!has(self.parallelism)"
          + " || (self.parallelism >= self.min__dash__instance && self.parallelism"
          + " <= [self.?max__dash__instance.orValue(0), self.min__dash__instance].max())"
          + " || (oldSelf.hasValue()"
          + " && oldSelf.value().?parallelism.orValue(0) == self.parallelism)";

  static final String ENDPOINT =
      "self == '' || self.matches('^(http://)?[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?:[0-9]{1,5}/?$')";

  private PaddleCelRules() {}
}
