package io.muster.controller.kube;

/** An Event on a job. Immutable. */
public record Remark(boolean isWarning, String reason, String message) {

  public static Remark normal(String reason, String message) {
    return new Remark(false, reason, message);
  }

  public static Remark warning(String reason, String message) {
    return new Remark(true, reason, message);
  }
}
