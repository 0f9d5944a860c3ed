package io.muster.controller.kinds.dlrover.api;

import io.fabric8.crd.generator.annotation.PreserveUnknownFields;
import io.muster.controller.api.WireType;

/**
 * Pods of one role, counted. A wire type: absent counts are null and mean 0. Immutable.
 *
 * @param initial Pods that are to be made.
 * @param pending Pods that wait.
 * @param active Pods that run.
 * @param succeeded Pods that have succeeded.
 * @param failed Pods that have failed or were deleted.
 */
@PreserveUnknownFields
@WireType
public record MasterCounts(
    Integer initial, Integer pending, Integer active, Integer succeeded, Integer failed) {}
