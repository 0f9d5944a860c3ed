package io.muster.controller.kinds.etoperator.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Size;
import io.muster.controller.api.WireType;
import io.muster.controller.core.job.Job;
import java.util.List;

/** Which workers a scale-in takes. A wire type: absent fields are null. Immutable. */
@WireType
public record ToDelete(
    @JsonPropertyDescription("Number of workers to take away; Muster chooses them.") Integer count,
    @Size(max = Job.MOST_MEMBERS)
        @JsonPropertyDescription("Names of the worker pods to take away, instead of count.")
        List<String> podNames) {}
