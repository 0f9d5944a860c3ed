package io.muster.controller.kinds.etoperator.api;

import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.muster.controller.api.WireType;

/**
 * A variable that a scaler's script sees. A wire type: absent fields are null. Immutable.
 *
 * @param name Name of the variable.
 * @param value Its value, taken as it stands.
 */
@WireType
public record ScriptVariable(
    @Required @Pattern("^[A-Za-z_][A-Za-z0-9_]*$") String name, String value) {}
