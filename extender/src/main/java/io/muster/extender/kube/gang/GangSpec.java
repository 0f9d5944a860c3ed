package io.muster.extender.kube.gang;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import java.util.List;

/** What a gang is. A wire type: absent optional fields are null. Immutable. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record GangSpec(
    @Required @JsonPropertyDescription("Ecosystem in whose markings the members name the gang.")
        String dialect,
    @Required
        @JsonPropertyDescription(
            "Name of the gang as its members state it; the object's own name" + " may differ.")
        String gangName,
    @Min(1)
        @Max(5000)
        @JsonPropertyDescription(
            "Fewest members that may start; absent while no member states a usable number.")
        Integer minAvailable,
    @Min(1) @JsonPropertyDescription("Members expected in all.") Integer totalMembers,
    @Pattern("^(Strict|NonStrict)$")
        @JsonPropertyDescription("What one failed member does to the waiting ones.")
        String mode,
    @Pattern("^(only-waiting|waiting-and-running|once-satisfied)$")
        @JsonPropertyDescription("Which members count towards minAvailable.")
        String matchPolicy,
    @Min(1)
        @JsonPropertyDescription(
            "How long its users want members to wait for each other, in" + " seconds.")
        Long timeoutSeconds,
    @JsonPropertyDescription("Gangs, as namespace/name, that start together.")
        List<String> groups) {}
