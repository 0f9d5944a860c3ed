package io.muster.controller.kinds.etoperator.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.muster.controller.api.WireType;
import io.muster.controller.core.job.Job;
import io.muster.controller.kinds.etoperator.api.rules.EtOperatorCelRules;
import io.muster.controller.kinds.etoperator.api.rules.EtOperatorRuleMessages;
import java.util.List;

/** Which workers a scale-in takes. A wire type: absent fields are null. Immutable. */
@WireType
public record ToDelete(
    @ValidationRule(value = EtOperatorCelRules.COUNT, message = EtOperatorRuleMessages.COUNT)
        @JsonPropertyDescription("Number of workers to take away; Muster chooses them.")
        Integer count,
    @Size(max = Job.MOST_MEMBERS)
        @ValidationRule(
            value = EtOperatorCelRules.POD_NAMES,
            message = EtOperatorRuleMessages.POD_NAMES)
        @JsonPropertyDescription("Names of the worker pods to take away, instead of count.")
        List<String> podNames) {}
