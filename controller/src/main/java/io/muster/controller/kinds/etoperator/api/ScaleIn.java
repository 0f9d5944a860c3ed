package io.muster.controller.kinds.etoperator.api;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.Version;
import io.muster.controller.api.Condition;
import io.muster.controller.api.PodCounts;
import java.util.List;
import java.util.Map;

/**
 * A request, served once, to take workers away from a running TrainingJob. Confined to one thread,
 * as every fabric8 object.
 */
@Group(TrainingJob.GROUP)
@Version(TrainingJob.VERSION)
@Plural(ScaleIn.PLURAL)
@JsonClassDescription("A request, served once, to take workers away from a running TrainingJob.")
@AdditionalPrinterColumn(name = "Phase", jsonPath = ".status.conditions[-1:].type")
public final class ScaleIn extends Scaler<ScaleInSpec, ScaleInStatus> {

  /** Name of the collection. */
  public static final String PLURAL = "scaleins";

  /** Other CRDs let one without a spec in: it asks for nothing. */
  @Override
  protected ScaleInSpec initSpec() {
    return ScaleInSpec.NOTHING;
  }

  @Override
  public ScaleInStatus status(
      String phase,
      List<Condition> conditions,
      Map<String, PodCounts> counts,
      String startTime,
      String completionTime,
      List<String> plan) {
    return new ScaleInStatus(
        phase, conditions, counts, startTime, completionTime, null, null, 0, plan);
  }
}
