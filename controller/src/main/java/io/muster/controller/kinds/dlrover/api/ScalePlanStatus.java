package io.muster.controller.kinds.dlrover.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.muster.controller.api.WireType;
import java.util.List;

/**
 * How far a scale plan has come. A wire type: absent fields are null; times are RFC 3339.
 * Immutable.
 */
@WireType
public record ScalePlanStatus(
    @JsonPropertyDescription("Created, Pending, Scaling, Succeeded or Failed.") String phase,
    @JsonPropertyDescription("When it was taken up.") String createTime,
    @JsonPropertyDescription("When its turn came.") String startTime,
    @JsonPropertyDescription("When it ended.") String finishTime,
    @JsonPropertyDescription("Names of the pods that come or go.") List<String> pods,
    @JsonPropertyDescription("Why it stands where it stands, where that needs saying.")
        String message) {}
