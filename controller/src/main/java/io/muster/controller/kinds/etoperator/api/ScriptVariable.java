package io.muster.controller.kinds.etoperator.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.muster.controller.api.WireType;

/** A variable that a scaler's script sees. A wire type: absent fields are null. Immutable. */
@WireType
public record ScriptVariable(
    @Required @Pattern("^[A-Za-z_][A-Za-z0-9_]*$") @JsonPropertyDescription("Name of the variable.")
        String name,
    @JsonPropertyDescription("Its value, taken as it stands.") String value) {}
