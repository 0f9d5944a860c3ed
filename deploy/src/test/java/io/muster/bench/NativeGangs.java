package io.muster.bench;

import io.muster.sandbox.GangScheduling;
import io.muster.sandbox.Layout;
import io.muster.sandbox.SandboxOptions;
import java.util.List;

/**
 * The gang scheduling that Kubernetes itself has, off unless it is asked for: a PodGroup says how
 * many of the pods that name it must be placed together.
 */
final class NativeGangs {

  private static final GangScheduling SCHEDULING = GangScheduling.of(Layout.current());

  static final String POD_GROUPS =
      "/apis/%s/namespaces/%s/podgroups".formatted(SCHEDULING.apiVersion(), Manifests.NAMESPACE);

  static final List<String> SCHEDULER_FLAGS = SCHEDULING.schedulerFlags();

  private static final String SPEC = "\"spec\":{";

  private NativeGangs() {}

  /** A control plane that has PodGroups; whether they count is up to kube-scheduler's flags. */
  static SandboxOptions served(SandboxOptions options) {
    return SCHEDULING.served(options, "");
  }

  /** A PodGroup for each gang of the work, of the gang's name. */
  static void create(Api api, Work work) {
    Crowd.each(
        work.gangs(), gang -> api.post(POD_GROUPS, group(gang)).orFail("PodGroup " + gang.name()));
  }

  private static String group(Gang gang) {
    return """
    {"apiVersion":"%s","kind":"PodGroup","metadata":{"name":"%s"},
     "spec":{"schedulingPolicy":{"gang":{"minCount":%d}}}}\
    """
        .formatted(SCHEDULING.apiVersion(), gang.name(), gang.members());
  }

  /** The same pod in that PodGroup. */
  static String member(String pod, String group) {
    var grouped =
        pod.replace(SPEC, SPEC + "\"schedulingGroup\":{\"podGroupName\":\"%s\"},".formatted(group));
    if (grouped.equals(pod)) {
      throw new IllegalArgumentException("this pod has no place for its PodGroup: " + pod);
    }
    return grouped;
  }
}
