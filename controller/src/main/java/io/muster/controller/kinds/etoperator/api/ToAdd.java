package io.muster.controller.kinds.etoperator.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.ValidationRule;
import io.muster.controller.api.WireType;
import io.muster.controller.kinds.etoperator.api.rules.EtOperatorCelRules;
import io.muster.controller.kinds.etoperator.api.rules.EtOperatorRuleMessages;

/** How many workers a scale-out adds. A wire type: absent fields are null. Immutable. */
@WireType
public record ToAdd(
    @ValidationRule(value = EtOperatorCelRules.COUNT, message = EtOperatorRuleMessages.COUNT)
        @JsonPropertyDescription("Number of workers to add, at least 1.")
        Integer count) {}
