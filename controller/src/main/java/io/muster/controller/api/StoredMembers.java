package io.muster.controller.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import java.util.Map;

/** What the engine remembers of single members. A wire type: absent fields are null. Immutable. */
@WireType
public record StoredMembers(
    @JsonPropertyDescription("Ranks by index, where they differ.") Map<String, Integer> ranks,
    @JsonPropertyDescription("How often who has a rank was lost.") Map<String, Integer> losses,
    @JsonPropertyDescription("Whether those that have ended for good did well, by index.")
        Map<String, Boolean> ended) {}
