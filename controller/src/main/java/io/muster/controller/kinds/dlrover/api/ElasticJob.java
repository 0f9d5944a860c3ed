package io.muster.controller.kinds.dlrover.api;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.Version;
import io.muster.controller.api.DescribedResource;

/**
 * A training job whose members DLRover's master manages. Confined to one thread, as every fabric8
 * object.
 */
@Group(ElasticJob.GROUP)
@Version(ElasticJob.VERSION)
@Plural(ElasticJob.PLURAL)
@JsonClassDescription("A training job whose members DLRover's master manages.")
@AdditionalPrinterColumn(name = "Phase", jsonPath = ".status.phase")
public final class ElasticJob extends DescribedResource<ElasticJobSpec, ElasticJobStatus> {

  /** API group of the two kinds. */
  public static final String GROUP = "elastic.iml.github.io";

  /** Version of the two kinds, served and stored. */
  public static final String VERSION = "v1alpha1";

  /** Name of the collection. */
  public static final String PLURAL = "elasticjobs";

  /** The role of the one member that manages the others. */
  public static final String MASTER = "dlrover-master";

  /** The role of those that train. */
  public static final String WORKER = "worker";
}
