package io.muster.controller.kinds.paddle;

import io.muster.controller.framework.JobMemory;

/** What is known of a TrainingJob besides what is stored. Confined to one reconcile at a time. */
final class PaddleMemory extends JobMemory {

  private boolean hasAccount;
  private boolean isAlone;

  /** Whether its pods have the account that they are made with. */
  boolean hasAccount() {
    return hasAccount;
  }

  void accountMade() {
    hasAccount = true;
  }

  /** Whether it is known that no pods of another controller bear its name. */
  boolean isAlone() {
    return isAlone;
  }

  void foundAlone() {
    isAlone = true;
  }
}
