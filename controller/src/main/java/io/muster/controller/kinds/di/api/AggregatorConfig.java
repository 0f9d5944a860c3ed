package io.muster.controller.kinds.di.api;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;
import io.muster.controller.api.DescribedResource;

/**
 * The pod that stands between a coordinator and a learner of several GPUs, for all jobs. Confined
 * to one thread, as every fabric8 object.
 */
@Group(DIJob.GROUP)
@Version(DIJob.FIRST_VERSION)
@Plural(AggregatorConfig.PLURAL)
@ShortNames("agconfig")
@JsonClassDescription(
    "The pod that stands between a coordinator and a learner of several GPUs, for all jobs.")
public final class AggregatorConfig extends DescribedResource<AggregatorConfigSpec, Void> {

  /** Name of the collection. */
  public static final String PLURAL = "aggregatorconfigs";
}
