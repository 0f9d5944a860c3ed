package io.muster.controller.kinds.etoperator.api;

import io.muster.controller.api.WireType;

/**
 * How many workers a scale-out adds. A wire type: absent fields are null. Immutable.
 *
 * @param count Number of workers to add, at least 1.
 */
@WireType
public record ToAdd(Integer count) {}
