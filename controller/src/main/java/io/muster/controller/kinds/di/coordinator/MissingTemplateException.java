package io.muster.controller.kinds.di.coordinator;

import io.muster.controller.framework.UnfitPodException;

/** There is nothing to make a pod from: the job or the cluster has no template for it. */
public final class MissingTemplateException extends UnfitPodException {

  private static final long serialVersionUID = 1;

  MissingTemplateException(String type) {
    super(
        type.equals(CoordinatorNames.AGGREGATOR)
            ? "there is no AggregatorConfig di-system/aggregator-config, which learners of several"
                + " GPUs need"
            : "the job has no spec.%s.template".formatted(type.replace("ddp-", "")));
  }
}
