package io.muster.controller.kinds.dlrover.api;

import io.fabric8.crd.generator.annotation.PreserveUnknownFields;
import io.muster.controller.api.WireType;

/**
 * One pod of a scale plan. A wire type: absent fields are null. Immutable.
 *
 * @param name Name of the pod.
 */
@PreserveUnknownFields
@WireType
public record PodMeta(String name) {}
