package io.muster.controller.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.List;
import java.util.Map;

/**
 * What the engine remembers of losses that are being made good. A wire type: absent fields are
 * null. Immutable.
 */
@WireType
public record StoredMending(
    @JsonPropertyDescription("How far the round is.") String stage,
    @JsonPropertyDescription("Why it began.") List<String> causes,
    @JsonPropertyDescription("Rounds in which members failed.") Integer failures,
    @JsonPropertyDescription("Rounds in which members went otherwise, or others were wanted.")
        Integer moves,
    @JsonPropertyDescription(
            "Uids of lost pods whose names are given out again, by role and index.")
        Map<String, Map<String, String>> going) {}
