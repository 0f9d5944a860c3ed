package io.muster.controller.kinds.etoperator.api;

import io.muster.controller.api.Condition;
import io.muster.controller.api.DescribedResource;
import io.muster.controller.api.PodCounts;
import java.util.List;
import java.util.Map;

/**
 * A request, served once, for another number of workers.
 *
 * @param <S> what is wanted
 * @param <T> how far it has come
 */
public abstract sealed class Scaler<S extends ScalerSpec, T extends ScalerStatus>
    extends DescribedResource<S, T> permits ScaleIn, ScaleOut {

  /**
   * A status of such a request; what is null is left out.
   *
   * @param plan names of the workers that come or go
   */
  public abstract T status(
      String phase,
      List<Condition> conditions,
      Map<String, PodCounts> counts,
      String startTime,
      String completionTime,
      List<String> plan);
}
