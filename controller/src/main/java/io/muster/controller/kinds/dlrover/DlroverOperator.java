package io.muster.controller.kinds.dlrover;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.muster.controller.kube.pod.RunningImages;
import java.util.Set;

/** How DLRover's own operator, whose kinds these were first, is recognised where it still runs. */
public final class DlroverOperator {

  /** By which it is elected, in the namespace where it runs, whatever its image is called. */
  public static final String LEASE = "dlrover-elasticjob";

  private static final Set<String> IMAGES = Set.of("elasticjob-controller", "dlrover-controller");

  /** That nobody else has, for those who keep its image under another name. */
  private static final Set<String> OPTIONS = Set.of("--master-image");

  private DlroverOperator() {}

  /** Whether this is it, and not scaled to nothing. */
  public static boolean runs(Deployment deployment) {
    return RunningImages.in(deployment).anyMatch(DlroverOperator::isIt);
  }

  private static boolean isIt(Container container) {
    return IMAGES.contains(RunningImages.nameOf(container))
        || RunningImages.options(container).anyMatch(OPTIONS::contains);
  }
}
