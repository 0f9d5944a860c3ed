package io.muster.controller.kinds.dlrover.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crd.generator.annotation.PreserveUnknownFields;
import io.muster.controller.api.WireType;

/** One pod of a scale plan. A wire type: absent fields are null. Immutable. */
@PreserveUnknownFields
@WireType
public record PodMeta(@JsonPropertyDescription("Name of the pod.") String name) {}
