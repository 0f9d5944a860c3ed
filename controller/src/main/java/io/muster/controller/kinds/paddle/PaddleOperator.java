package io.muster.controller.kinds.paddle;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.muster.controller.kube.pod.RunningImages;
import java.util.Set;

/** How PaddlePaddle's own controller, whose kind this was first, is recognised where it runs. */
public final class PaddleOperator {

  private static final String IMAGE = "edl-controller";

  /** That nobody else has, for those who keep its image under another name. */
  private static final Set<String> OPTIONS = Set.of("-max_load_desired", "--max_load_desired");

  private PaddleOperator() {}

  /** Whether this is it, and not scaled to nothing. */
  public static boolean runs(Deployment deployment) {
    return RunningImages.in(deployment).anyMatch(PaddleOperator::isIt);
  }

  private static boolean isIt(Container container) {
    return IMAGE.equals(RunningImages.nameOf(container))
        || RunningImages.options(container).anyMatch(OPTIONS::contains);
  }
}
