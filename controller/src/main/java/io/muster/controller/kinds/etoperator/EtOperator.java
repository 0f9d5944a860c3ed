package io.muster.controller.kinds.etoperator;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.muster.controller.kube.pod.RunningImages;
import java.util.List;

/** How et-operator, whose kinds these were first, is recognised where it still runs. */
public final class EtOperator {

  private static final String IMAGE = "et-operator";

  /** Options that nobody else has, for those who keep its image under another name. */
  private static final List<String> OPTIONS =
      List.of("--create-ssh-secret", "--init-container-image");

  private EtOperator() {}

  /** Whether this is it, and not scaled to nothing. */
  public static boolean runs(Deployment deployment) {
    return RunningImages.in(deployment).anyMatch(EtOperator::isIt);
  }

  private static boolean isIt(Container container) {
    return IMAGE.equals(RunningImages.nameOf(container))
        || RunningImages.options(container).anyMatch(OPTIONS::contains);
  }
}
