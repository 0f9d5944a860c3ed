package io.muster.controller.api;

import io.fabric8.generator.annotation.Required;

/**
 * One thing that has happened to a job or a scaler. A wire type: absent fields are null; times are
 * RFC 3339. Immutable.
 *
 * @param type What has happened, in one word.
 * @param status True, False or Unknown.
 * @param reason Why, in one word.
 * @param message Why, as a sentence.
 * @param lastUpdateTime When the condition was last written.
 * @param lastTransitionTime When its status last changed.
 */
@WireType
public record Condition(
    @Required String type,
    @Required String status,
    String reason,
    String message,
    String lastUpdateTime,
    String lastTransitionTime) {}
