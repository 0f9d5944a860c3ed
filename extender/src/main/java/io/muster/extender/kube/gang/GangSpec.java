package io.muster.extender.kube.gang;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;

/** What a gang is. A wire type: absent optional fields are null. Immutable. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record GangSpec(
    @Required @JsonPropertyDescription("Ecosystem in whose markings the members name the gang.")
        String dialect,
    @Required
        @JsonPropertyDescription(
            "Name of the gang as its members state it; the object's own name may differ.")
        String gangName,
    @Min(1)
        @Max(5000)
        @JsonPropertyDescription(
            "Fewest members that may start; absent while no member states a usable number.")
        Integer minAvailable) {}
