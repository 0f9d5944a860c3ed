package io.muster.controller.kinds.di.api;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;
import io.muster.controller.api.DescribedResource;

/**
 * A {@link DIJob} as v1alpha1 shows it: the same object with other columns. Only the CRD is made
 * from it; nothing reads or writes it. Confined to one thread, as every fabric8 object.
 */
@Group(DIJob.GROUP)
@Version(value = DIJob.FIRST_VERSION, storage = false)
@Kind("DIJob")
@Plural(DIJob.PLURAL)
@ShortNames(DIJob.SINGULAR)
@JsonClassDescription(DIJob.DESCRIPTION)
@AdditionalPrinterColumn(
    name = "Phase",
    jsonPath = ".status.phase",
    type = AdditionalPrinterColumn.Type.STRING)
public final class FirstDIJob extends DescribedResource<DIJobSpec, DIJobStatus> {}
