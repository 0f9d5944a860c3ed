package io.muster.real;

import io.muster.sandbox.Layout;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxOptions;
import io.muster.sandbox.StateDirectory;
import java.nio.file.Path;

/**
 * The program behind {@code deploy/real-clients/dlrover/run}: plays the jobs of DLRover's tutorial
 * with its own master, on a sandbox of its own, and stops everything. Argument: the environment in
 * which DLRover is installed. Exit codes as in {@link RealClients}.
 */
final class DlroverMasters {

  private DlroverMasters() {}

  public static void main(String[] arguments) {
    RealClients.exit(() -> play(Path.of(arguments[0])));
  }

  private static void play(Path environment) {
    var layout = Layout.current();
    var code = layout.deploy().resolve("real-clients/dlrover");
    var state = new StateDirectory(layout.deploy().resolve("target/real-clients/dlrover/sandbox"));
    System.out.println("Starting a control plane and Muster on this machine.");
    try (var sandbox = Sandbox.start(layout, SandboxOptions.withMuster(state))) {
      new DlroverPlay(sandbox, code, environment.resolve("bin")).run();
    }
  }
}
