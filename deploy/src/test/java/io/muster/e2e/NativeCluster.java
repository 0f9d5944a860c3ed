package io.muster.e2e;

import io.muster.sandbox.GangScheduling;
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

  /** Of PodGroups, as this cluster has them. */
  public static final String API_VERSION = GangScheduling.of(Layout.current()).apiVersion();

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

  /** What says in the spec of a Job that it is a gang; in Kubernetes 1.36 every Indexed one is. */
  static Map<String, Object> gangOfJob(int minCount) {
    return API_VERSION.endsWith("/v1alpha2")
        ? Map.of()
        : Map.of(
            "scheduling", Map.of("schedulingPolicy", Map.of("gang", Map.of("minCount", minCount))));
  }

  private static SandboxOptions with(SandboxOptions options, String moreGates) {
    var scheduling = GangScheduling.of(Layout.current());
    return scheduling
        .served(options, moreGates)
        .extraFlags(Program.SCHEDULER, scheduling.schedulerFlags().toArray(String[]::new));
  }
}
