package io.muster.controller.kinds.di;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.muster.controller.kube.pod.RunningImages;
import java.util.Set;

/** How DI-orchestrator, whose kinds these were first, is recognised where it still runs. */
public final class DiOperator {

  /** That its operator holds where it is told to elect a leader. */
  public static final String LEASE = "12841a5d.opendilab.org";

  private static final Set<String> IMAGES = Set.of("di-operator", "di-orchestrator");

  /** That nobody else has, for those who keep its image under another name. */
  private static final Set<String> OPTIONS = Set.of("--di-server-url", "--agconfig-name");

  private DiOperator() {}

  /** Whether this is it, and not scaled to nothing. */
  public static boolean runs(Deployment deployment) {
    return RunningImages.in(deployment).anyMatch(DiOperator::isIt);
  }

  private static boolean isIt(Container container) {
    return IMAGES.contains(RunningImages.nameOf(container))
        || RunningImages.options(container).anyMatch(OPTIONS::contains);
  }
}
