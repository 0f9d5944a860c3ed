package io.muster.e2e;

import io.muster.sandbox.Layout;
import io.muster.sandbox.MusterOptions;
import io.muster.sandbox.Program;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxOptions;
import io.muster.sandbox.StateDirectory;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Sandboxes whose cluster has its own gang scheduling on, and a kube-scheduler that asks nobody.
 */
public final class NativeCluster {

  static final Map<String, Object> SETTINGS = Map.of("placementMode", "native");

  private static final String GATES = "--feature-gates=GenericWorkload=true,GangScheduling=true";

  private NativeCluster() {}

  /** Starts one with Muster beside it. */
  public static Sandbox start(String name, UnaryOperator<SandboxOptions> more) {
    var layout = Layout.current();
    var state = new StateDirectory(layout.deploy().resolve("target/sandbox/" + name));
    var sandbox = Sandbox.start(layout, more.apply(with(SandboxOptions.bare(state))));
    sandbox.startMuster(MusterOptions.DEFAULT.configured(SETTINGS));
    return sandbox;
  }

  static SandboxOptions with(SandboxOptions options) {
    return with(options, "");
  }

  /** The same where kube-controller-manager makes PodGroups of Jobs, too. */
  static SandboxOptions withJobs(SandboxOptions options) {
    return with(options, ",WorkloadWithJob=true");
  }

  private static SandboxOptions with(SandboxOptions options, String moreGates) {
    return options
        .extraFlags(
            Program.APISERVER,
            GATES + moreGates,
            "--runtime-config=scheduling.k8s.io/v1alpha2=true")
        .extraFlags(Program.CONTROLLER_MANAGER, "--feature-gates=GenericWorkload=true" + moreGates)
        .extraFlags(Program.SCHEDULER, GATES);
  }
}
