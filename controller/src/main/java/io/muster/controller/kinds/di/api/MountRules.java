package io.muster.controller.kinds.di.api;

/**
 * The rule in CEL that a container mounts no volume that is neither in the job nor in its template.
 * It checks creation only: of what changes later, the API server would have to compare templates,
 * which hold fields that it does not know.
 */
final class MountRules {

  private static final String VOLUMES =
      "[(has(self.volumes) ? self.volumes.map(volume, volume.name) : []) + (has(";
  private static final String OF_THE_POD = ".spec.volumes) ? ";
  private static final String AND_ITS_MOUNTS =
      ".spec.volumes.map(volume, volume.name) : [])].map(names, ";
  private static final String WITHOUT_VOLUME =
      ".spec.containers.map(container, has(container.volumeMounts)"
          + " ? container.volumeMounts.map(mount, mount.name).filter(name, !(name in names))"
          + " : []))";

  private static final String COORDINATOR = "self.coordinator.template";
  private static final String COLLECTOR = "self.collector.template";
  private static final String LEARNER = "self.learner.template";
  private static final String COPY = "self.template";
  private static final String TASK = "task.template";

  /** Names of volumes that are not there, by pod and container. */
  private static final String LOST =
      "((has(self.coordinator) ? "
          + (VOLUMES + COORDINATOR + OF_THE_POD + COORDINATOR + AND_ITS_MOUNTS)
          + (COORDINATOR + WITHOUT_VOLUME)
          + " : []) + (has(self.collector) ? "
          + (VOLUMES + COLLECTOR + OF_THE_POD + COLLECTOR + AND_ITS_MOUNTS)
          + (COLLECTOR + WITHOUT_VOLUME)
          + " : []) + (has(self.learner) ? "
          + (VOLUMES + LEARNER + OF_THE_POD + LEARNER + AND_ITS_MOUNTS)
          + (LEARNER + WITHOUT_VOLUME)
          + " : []) + (has(self.template) ? "
          + (VOLUMES + COPY + OF_THE_POD + COPY + AND_ITS_MOUNTS)
          + (COPY + WITHOUT_VOLUME)
          + " : []) + (has(self.tasks) ? self.tasks.map(task, "
          + (VOLUMES + TASK + OF_THE_POD + TASK + AND_ITS_MOUNTS)
          + (TASK + WITHOUT_VOLUME)
          + "[0]) : []))";

  static final String HAVE_VOLUMES =
      "oldSelf.hasValue() || " + LOST + ".all(pod, pod.all(names, size(names) == 0))";

  static final String TEXT =
      "'"
          + DiRuleMessages.MOUNTS
          + "'.replace('X', "
          + LOST
          + ".map(pod, pod.filter(names, size(names) > 0)).filter(pod, size(pod) > 0)[0][0][0])";

  private MountRules() {}
}
