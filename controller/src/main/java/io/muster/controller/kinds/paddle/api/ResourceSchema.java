package io.muster.controller.kinds.paddle.api;

import io.fabric8.kubernetes.api.model.Quantity;
import java.util.Map;

/**
 * What the API server is told of what a pod needs.
 *
 * @param limits Most that it may take, as cpu, memory and nvidia.com/gpu;
 *     alpha.kubernetes.io/nvidia-gpu means the last one.
 * @param requests What is kept for it, by default its limits.
 */
record ResourceSchema(Map<String, Quantity> limits, Map<String, Quantity> requests) {}
