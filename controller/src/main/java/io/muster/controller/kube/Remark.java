package io.muster.controller.kube;

/** An Event on a job. Immutable. */
public record Remark(boolean isWarning, String reason, String message) {}
