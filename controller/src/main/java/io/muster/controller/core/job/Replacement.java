package io.muster.controller.core.job;

/** Which lost members of a role are recreated. */
public enum Replacement {
  /** None. */
  NEVER,
  /** Those that have failed. */
  ON_FAILURE,
  /** Those that have failed, ended or were deleted. */
  ALWAYS,
  /** Those that have failed or were deleted. */
  LOST,
  /** Those that have failed with an exit code that tells of a signal, 129 to 254. */
  ON_SIGNAL,
  /** Those that were deleted; with one that fails the job fails, as {@link Role#decides} has it. */
  ON_DELETION,
  /** Those that were deleted or have failed, but for exit code 1: it would be in vain. */
  UNLESS_FATAL,
  /** Those that were deleted or have failed, but for want of memory: it would be in vain. */
  UNLESS_OUT_OF_MEMORY
}
