package io.muster.controller.kinds.etoperator.api;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.ValidationRule;
import io.muster.controller.kinds.etoperator.api.rules.EtOperatorCelRules;
import io.muster.controller.kinds.etoperator.api.rules.EtOperatorRuleMessages;

/** How many workers a scale-out adds. A wire type: absent fields are null. Immutable. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
public record ToAdd(
    @ValidationRule(value = EtOperatorCelRules.COUNT, message = EtOperatorRuleMessages.COUNT)
        @JsonPropertyDescription("Number of workers to add, at least 1.")
        Integer count) {}
