package io.muster.deploy.mutate;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * A pod as a manifest says it, or as the controller of a workload would make it.
 *
 * @param origin which part of which object it comes from
 * @param pod what the apiserver would be sent
 * @param count how many alike it asks for at a time
 */
public record PodTemplate(String origin, ObjectNode pod, int count) {}
