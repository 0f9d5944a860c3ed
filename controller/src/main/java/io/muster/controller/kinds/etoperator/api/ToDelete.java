package io.muster.controller.kinds.etoperator.api;

import io.fabric8.generator.annotation.Size;
import io.muster.controller.api.WireType;
import io.muster.controller.core.job.Job;
import java.util.List;

/**
 * Which workers a scale-in takes. A wire type: absent fields are null. Immutable.
 *
 * @param count Number of workers to take away; Muster chooses them.
 * @param podNames Names of the worker pods to take away, instead of count.
 */
@WireType
public record ToDelete(Integer count, @Size(max = Job.MOST_MEMBERS) List<String> podNames) {}
