package io.muster.controller.kinds.paddle.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Map;

/** What the API server is told of what a pod needs. */
record ResourceSchema(
    @JsonPropertyDescription(
            "Most that it may take, as cpu, memory and nvidia.com/gpu;"
                + " alpha.kubernetes.io/nvidia-gpu means the last one.")
        Map<String, Quantity> limits,
    @JsonPropertyDescription("What is kept for it, by default its limits.")
        Map<String, Quantity> requests) {}
