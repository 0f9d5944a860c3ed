package io.muster.controller.kinds.etoperator.api;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.Version;
import io.muster.controller.api.DescribedResource;

/**
 * A request, served once, to take workers away from a running TrainingJob. Confined to one thread,
 * as every fabric8 object.
 */
@Group(TrainingJob.GROUP)
@Version(TrainingJob.VERSION)
@Plural(ScaleIn.PLURAL)
@JsonClassDescription("A request, served once, to take workers away from a running TrainingJob.")
@AdditionalPrinterColumn(
    name = "Phase",
    jsonPath = ".status.conditions[-1:].type",
    type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
    name = "Age",
    jsonPath = ".metadata.creationTimestamp",
    type = AdditionalPrinterColumn.Type.DATE)
public final class ScaleIn extends DescribedResource<ScaleInSpec, ScaleInStatus> {

  /** Name of the collection. */
  public static final String PLURAL = "scaleins";
}
