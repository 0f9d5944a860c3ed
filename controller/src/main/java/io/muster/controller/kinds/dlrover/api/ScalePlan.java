package io.muster.controller.kinds.dlrover.api;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.Version;
import io.muster.controller.api.DescribedResource;

/**
 * A request, served once, for another size of an elastic job. Confined to one thread, as every
 * fabric8 object.
 */
@Group(ElasticJob.GROUP)
@Version(ElasticJob.VERSION)
@Plural(ScalePlan.PLURAL)
@JsonClassDescription("A request, served once, for another size of an elastic job.")
@AdditionalPrinterColumn(name = "Phase", jsonPath = ".status.phase")
public final class ScalePlan extends DescribedResource<ScalePlanSpec, ScalePlanStatus> {

  /** Name of the collection. */
  public static final String PLURAL = "scaleplans";

  @JsonPropertyDescription("How far it has come.")
  @Override
  public ScalePlanStatus getStatus() {
    return super.getStatus();
  }
}
