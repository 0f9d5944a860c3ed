package io.muster.controller.kinds.dlrover.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crd.generator.annotation.PreserveUnknownFields;

/** One pod of a scale plan. A wire type: absent fields are null. Immutable. */
@PreserveUnknownFields
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record PodMeta(@JsonPropertyDescription("Name of the pod.") String name) {}
