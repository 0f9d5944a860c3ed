package io.muster.controller.kinds.paddle.api;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Singular;
import io.fabric8.kubernetes.model.annotation.Version;
import io.muster.controller.api.DescribedResource;

/**
 * A TrainingJob of PaddlePaddle EDL: parameter servers, trainers whose number may change, and a
 * master that deals tasks out to them. Confined to one thread, as every fabric8 object.
 */
@Group(PaddleJob.GROUP)
@Version(PaddleJob.VERSION)
@Kind("TrainingJob")
@Singular("trainingjob")
@Plural(PaddleJob.PLURAL)
@ShortNames("tj")
@JsonClassDescription(
    "A training job of PaddlePaddle: parameter servers and a changing number of trainers.")
@AdditionalPrinterColumn(name = "Phase", jsonPath = ".status.phase")
@AdditionalPrinterColumn(
    name = "Trainers",
    jsonPath = ".status.parallelism",
    type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(
    name = "Running",
    jsonPath = ".status.running",
    type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(name = "Reason", jsonPath = ".status.reason", priority = 1)
public final class PaddleJob extends DescribedResource<PaddleJobSpec, PaddleJobStatus> {

  /** API group of the kind. */
  public static final String GROUP = "paddlepaddle.org";

  /** Version of the kind, served and stored. */
  public static final String VERSION = "v1";

  /** Name of the collection. */
  public static final String PLURAL = "trainingjobs";

  /** Annotation: how many failed trainers are recreated, in all, before the job fails. */
  public static final String FAILURE_LIMIT = "muster.io/trainer-failure-limit";

  /** Annotation: seconds that a pod which is to go has for it. */
  public static final String GRACE_SECONDS = "muster.io/grace-seconds";

  /** Annotation: PriorityClass of all pods of the job. */
  public static final String PRIORITY_CLASS = "muster.io/priority-class";
}
