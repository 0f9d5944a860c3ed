package io.muster.real;

import io.muster.kit.Launchers;
import io.muster.sandbox.Layout;
import io.muster.sandbox.MusterOptions;
import io.muster.sandbox.MusterProcess;
import io.muster.sandbox.Ports;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxException;
import io.muster.sandbox.SandboxOptions;
import io.muster.sandbox.StateDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * The program behind {@code deploy/real-clients/di-engine/run}: plays DIJobs whose pods run
 * DI-engine, on a sandbox of its own, and stops everything. Arguments: the environment in which
 * DI-engine is installed, and {@code tasks}, {@code coordinator} or {@code both}. Exit codes as in
 * {@link RealClients}.
 */
final class DiEngine {

  private DiEngine() {}

  public static void main(String[] arguments) {
    RealClients.exit(() -> play(Path.of(arguments[0]), arguments[1]));
  }

  private static void play(Path environment, String which) throws IOException {
    var layout = Layout.current();
    var code = layout.deploy().resolve("real-clients/di-engine");
    var target = layout.deploy().resolve("target/real-clients/di-engine");
    var options =
        SandboxOptions.withMuster(new StateDirectory(target.resolve("sandbox"))).scripting();
    System.out.println("Starting a control plane and Muster on this machine.");
    try (var sandbox = Sandbox.start(layout, options)) {
      var server = tellWhereTheServerIs(sandbox);
      var scene = DiScene.open(sandbox, server);
      var launchers = Launchers.watching(sandbox);
      try {
        if (!which.equals("coordinator")) {
          var shared = RealClients.fresh(target.resolve("tasks"));
          new DiTasksPlay(scene, new Notes(shared))
              .run(manifest(code, environment, shared, "tasks.yaml"));
        }
        if (!which.equals("tasks")) {
          var shared = RealClients.fresh(target.resolve("coordinator"));
          new DiCoordinatorPlay(
                  scene,
                  launchers,
                  DiCommand.of(sandbox, code, environment),
                  new Notes(shared.resolve("cartpole_dqn/log")))
              .run(manifest(code, environment, shared, "coordinator.yaml"));
        }
      } finally {
        launchers.close();
      }
    }
  }

  /** No Service leads anywhere here, so pods are told of Muster's own address. */
  private static String tellWhereTheServerIs(Sandbox sandbox) {
    int port = Ports.free();
    var server = "http://127.0.0.1:" + port;
    sandbox.muster().ifPresent(MusterProcess::kill);
    sandbox.startMuster(
        MusterOptions.DEFAULT.configured(Map.of("diPort", port, "diFirstServerUrl", server)));
    sandbox.scheduler().start(Optional.of(sandbox.extender()));
    return server;
  }

  private static String manifest(Path code, Path environment, Path shared, String file) {
    Path path = code.resolve(file);
    try {
      return Files.readString(path)
          .replace("@CODE@", code.toString())
          .replace("@VENV@", environment.toString())
          .replace("@SHARED@", shared.toString());
    } catch (IOException e) {
      throw new SandboxException(path + " cannot be read.", e);
    }
  }
}
