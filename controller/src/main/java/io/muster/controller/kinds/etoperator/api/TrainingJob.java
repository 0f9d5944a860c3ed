package io.muster.controller.kinds.etoperator.api;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.Version;
import io.muster.controller.api.DescribedResource;

/**
 * A distributed training job: one launcher and a changing set of workers. Confined to one thread,
 * as every fabric8 object.
 */
@Group(TrainingJob.GROUP)
@Version(TrainingJob.VERSION)
@Plural(TrainingJob.PLURAL)
@JsonClassDescription("A distributed training job: one launcher and a changing number of workers.")
@AdditionalPrinterColumn(name = "Phase", jsonPath = ".status.phase")
public final class TrainingJob extends DescribedResource<TrainingJobSpec, TrainingJobStatus> {

  /** API group of the three kinds. */
  public static final String GROUP = "kai.alibabacloud.com";

  /** Version of the three kinds, served and stored. */
  public static final String VERSION = "v1alpha1";

  /** Name of the collection. */
  public static final String PLURAL = "trainingjobs";

  /**
   * Annotation, {@code true}: the launcher starts when minReplicas workers run, at least 2; the
   * others join.
   */
  public static final String START_AT_MIN = "muster.io/start-at-min";

  /** Annotation: how many lost workers are replaced within any hour. */
  public static final String RESTART_BUDGET = "muster.io/worker-restart-budget";

  /** How many without the annotation. */
  public static final int DEFAULT_RESTART_BUDGET = 10;

  /** How many at most. */
  public static final int LARGEST_RESTART_BUDGET = 1000;
}
