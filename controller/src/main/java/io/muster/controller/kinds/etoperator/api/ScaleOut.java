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
 * A request, served once, to add workers to a running TrainingJob. Confined to one thread, as every
 * fabric8 object.
 */
@Group(TrainingJob.GROUP)
@Version(TrainingJob.VERSION)
@Plural(ScaleOut.PLURAL)
@JsonClassDescription("A request, served once, to add workers to a running TrainingJob.")
@AdditionalPrinterColumn(name = "Phase", jsonPath = ".status.conditions[-1:].type")
public final class ScaleOut extends Scaler<ScaleOutSpec, ScaleOutStatus> {

  /** Name of the collection. */
  public static final String PLURAL = "scaleouts";

  /** Other CRDs let one without a spec in: it asks for nothing. */
  @Override
  protected ScaleOutSpec initSpec() {
    return ScaleOutSpec.NOTHING;
  }

  @Override
  public ScaleOutStatus status(
      String phase,
      List<Condition> conditions,
      Map<String, PodCounts> counts,
      String startTime,
      String completionTime,
      List<String> plan) {
    return new ScaleOutStatus(
        phase, conditions, counts, startTime, completionTime, null, null, 0, plan);
  }
}
