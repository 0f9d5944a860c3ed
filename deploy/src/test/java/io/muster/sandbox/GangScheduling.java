package io.muster.sandbox;

import java.util.List;

/**
 * The gang scheduling that Kubernetes itself has, off unless a sandbox is started with these
 * options: a PodGroup says how many of the pods that name it must be placed together. Immutable.
 *
 * @param version of PodGroups, as the API server of the sandbox has them
 * @param gates of the API server and kube-scheduler
 */
public record GangScheduling(String version, String gates) {

  private static final String GATE = "--feature-gates=GenericWorkload=true";

  /** As the version of Kubernetes has it that the sandbox is made of. */
  public static GangScheduling of(Layout layout) {
    return GoModule.controlPlane(layout).version().isAtLeast(1, 37)
        ? new GangScheduling("v1beta1", GATE)
        : new GangScheduling("v1alpha2", GATE + ",GangScheduling=true");
  }

  /** As objects and requests name it. */
  public String apiVersion() {
    return "scheduling.k8s.io/" + version;
  }

  /**
   * A control plane that has PodGroups; whether they count is up to kube-scheduler's flags.
   *
   * @param moreGates of the API server and kube-controller-manager, each as {@code ,Name=true}
   */
  public SandboxOptions served(SandboxOptions options, String moreGates) {
    return options
        .extraFlags(
            Program.APISERVER,
            gates + moreGates,
            "--runtime-config=%s=true".formatted(apiVersion()))
        // Who lets go of PodGroups that have no pods any more.
        .extraFlags(Program.CONTROLLER_MANAGER, GATE + moreGates);
  }

  public List<String> schedulerFlags() {
    return List.of(gates);
  }
}
