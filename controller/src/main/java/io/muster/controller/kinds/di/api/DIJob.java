package io.muster.controller.kinds.di.api;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;
import io.muster.controller.api.DescribedResource;

/**
 * A reinforcement learning job of DI-engine. All objects are stored and watched as this version,
 * whichever they were written as: the versions have the same fields, so nothing is lost between
 * them. Confined to one thread, as every fabric8 object.
 */
@Group(DIJob.GROUP)
@Version(DIJob.VERSION)
@Plural(DIJob.PLURAL)
@ShortNames(DIJob.SINGULAR)
@JsonClassDescription(DIJob.DESCRIPTION)
@AdditionalPrinterColumn(name = "Phase", jsonPath = ".status.phase")
@AdditionalPrinterColumn(
    name = "ReadyReplicas",
    jsonPath = ".status.readyReplicas",
    type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(
    name = "Replicas",
    jsonPath = ".status.replicas",
    type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(
    name = "Restarts",
    jsonPath = ".status.restarts",
    type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(
    name = "Reschedules",
    jsonPath = ".status.reschedules",
    type = AdditionalPrinterColumn.Type.INTEGER)
public final class DIJob extends DescribedResource<DIJobSpec, DIJobStatus> {

  /** API group of the two kinds. */
  public static final String GROUP = "diengine.opendilab.org";

  /** The version that is stored and that Muster reads. */
  public static final String VERSION = "v2alpha1";

  /** The version of jobs with a coordinator, and of AggregatorConfig. */
  public static final String FIRST_VERSION = "v1alpha1";

  /** Name of the collection. */
  public static final String PLURAL = "dijobs";

  static final String SINGULAR = "dijob";
  static final String DESCRIPTION = "A reinforcement learning job of DI-engine.";
}
