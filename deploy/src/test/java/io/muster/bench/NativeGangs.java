package io.muster.bench;

import io.muster.sandbox.Program;
import io.muster.sandbox.SandboxOptions;
import java.util.List;

/**
 * The gang scheduling that Kubernetes 1.36 itself has, off unless it is asked for: a PodGroup says
 * how many of the pods that name it must be placed together.
 */
final class NativeGangs {

  static final String POD_GROUPS =
      "/apis/scheduling.k8s.io/v1alpha2/namespaces/" + Manifests.NAMESPACE + "/podgroups";

  static final List<String> SCHEDULER_FLAGS =
      List.of("--feature-gates=GenericWorkload=true,GangScheduling=true");

  private static final String SPEC = "\"spec\":{";

  private NativeGangs() {}

  /** A control plane that has PodGroups; whether they count is up to kube-scheduler's flags. */
  static SandboxOptions served(SandboxOptions options) {
    return options
        .extraFlags(
            Program.APISERVER,
            "--feature-gates=GenericWorkload=true,GangScheduling=true",
            "--runtime-config=scheduling.k8s.io/v1alpha2=true")
        // Who lets go of PodGroups that have no pods any more.
        .extraFlags(Program.CONTROLLER_MANAGER, "--feature-gates=GenericWorkload=true");
  }

  /** A PodGroup for each gang of the work, of the gang's name. */
  static void create(Api api, Work work) {
    Crowd.each(
        work.gangs(), gang -> api.post(POD_GROUPS, group(gang)).orFail("PodGroup " + gang.name()));
  }

  private static String group(Gang gang) {
    return """
    {"apiVersion":"scheduling.k8s.io/v1alpha2","kind":"PodGroup","metadata":{"name":"%s"},
     "spec":{"schedulingPolicy":{"gang":{"minCount":%d}}}}\
    """
        .formatted(gang.name(), gang.members());
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
