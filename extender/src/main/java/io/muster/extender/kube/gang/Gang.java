package io.muster.extender.kube.gang;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.generator.annotation.Required;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;

/**
 * A gang as its users see it, and the write-ahead record of its bindings. Confined to one thread,
 * as every fabric8 object.
 */
@Group(Gang.GROUP)
@Version(Gang.VERSION)
@Plural(Gang.PLURAL)
@ShortNames("gang")
@AdditionalPrinterColumn(
    name = "Dialect",
    jsonPath = ".spec.dialect",
    type = AdditionalPrinterColumn.Type.STRING,
    priority = 1)
@AdditionalPrinterColumn(
    name = "Phase",
    jsonPath = ".status.phase",
    type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
    name = "Min",
    jsonPath = ".spec.minAvailable",
    type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(
    name = "Members",
    jsonPath = ".status.members",
    type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(
    name = "Bound",
    jsonPath = ".status.bound",
    type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(
    name = "Position",
    jsonPath = ".status.position",
    type = AdditionalPrinterColumn.Type.INTEGER,
    priority = 1)
@AdditionalPrinterColumn(
    name = "Expected",
    jsonPath = ".status.expectedStart.p50",
    type = AdditionalPrinterColumn.Type.STRING,
    priority = 1)
@AdditionalPrinterColumn(
    name = "Why",
    jsonPath = ".status.message",
    type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
    name = "Age",
    jsonPath = ".metadata.creationTimestamp",
    type = AdditionalPrinterColumn.Type.DATE)
public final class Gang extends CustomResource<GangSpec, GangStatus> implements Namespaced {

  /** API group of the object. */
  public static final String GROUP = "muster.io";

  /** Version of the object. */
  public static final String VERSION = "v1alpha1";

  /** Name of the collection. */
  public static final String PLURAL = "gangs";

  @Required
  @Override
  public GangSpec getSpec() {
    return super.getSpec();
  }
}
