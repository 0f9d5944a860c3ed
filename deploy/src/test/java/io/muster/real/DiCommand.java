package io.muster.real;

import io.muster.sandbox.Command;
import io.muster.sandbox.Sandbox;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * DI-engine's {@code ding -m dist} as people run it beside a cluster. Immutable.
 *
 * @param path where its programs lie, before all others
 */
record DiCommand(Sandbox sandbox, String path) {

  private static final Duration LIMIT = Duration.ofMinutes(2);

  static DiCommand of(Sandbox sandbox, Path code, Path environment) {
    return new DiCommand(sandbox, code.resolve("bin") + ":" + environment.resolve("bin"));
  }

  /** The last line that it prints. */
  String say(List<String> words) {
    var line =
        new ArrayList<>(
            List.of(
                "env",
                "PATH=" + path + ":" + System.getenv("PATH"),
                // A proxy of the surroundings must not stand between processes on loopback.
                "NO_PROXY=127.0.0.1",
                "no_proxy=127.0.0.1",
                "ding",
                "-m",
                "dist",
                "--kubeconfig",
                sandbox.state().kubeconfig().toString(),
                "-ns",
                DiScene.NAMESPACE));
    line.addAll(words);
    return Command.run(LIMIT, line).output().strip().lines().reduce("", (_, last) -> last);
  }
}
