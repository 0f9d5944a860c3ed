package io.muster.real;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.demo.UnmetException;
import io.muster.kit.Launchers;
import io.muster.sandbox.Layout;
import io.muster.sandbox.MissingToolException;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxException;
import io.muster.sandbox.SandboxOptions;
import io.muster.sandbox.StateDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;

/**
 * The program behind {@code deploy/real-clients/NAME/run}: plays one job on a sandbox of its own
 * and stops everything. Arguments: the name of the folder, the name of the job, and {@code
 * KEY=value} for what stands in the folder's job.yaml as {@code @KEY@}. Exit codes: 0 all of it was
 * so, 1 something was not, 2 a tool is missing.
 */
final class RealClients {

  private static final int NOT_SO = 1;
  private static final int TOOL_MISSING = 2;

  private RealClients() {}

  public static void main(String[] arguments) {
    exit(() -> play(arguments));
  }

  /** What is played on a sandbox of its own, and throws at what is not so. */
  interface Played {
    void play() throws IOException;
  }

  /** Ends this JVM with the verdict. */
  static void exit(Played played) {
    var since = Instant.now();
    int code = NOT_SO;
    try {
      played.play();
      System.out.println();
      System.out.println(
          "All of it was so. The whole took "
              + Duration.between(since, Instant.now()).toSeconds()
              + " s.");
      code = 0;
    } catch (MissingToolException missing) {
      System.out.println(missing.getMessage());
      code = TOOL_MISSING;
    } catch (UnmetException | SandboxException | KubernetesClientException e) {
      System.out.println("NOT SO: " + e.getMessage());
    } catch (IOException e) {
      System.out.println("NOT SO: a file cannot be used: " + e);
    }
    System.exit(code);
  }

  private static void play(String[] arguments) throws IOException {
    var layout = Layout.current();
    var code = layout.deploy().resolve("real-clients").resolve(arguments[0]);
    var target = layout.deploy().resolve("target/real-clients").resolve(arguments[0]);
    var shared = fresh(target.resolve("shared"));
    var manifest =
        Files.readString(code.resolve("job.yaml"))
            .replace("@CODE@", code.toString())
            .replace("@SHARED@", shared.toString());
    for (int i = 2; i < arguments.length; i++) {
      var pair = arguments[i].split("=", 2);
      manifest = manifest.replace("@" + pair[0] + "@", pair[1]);
    }
    var options =
        SandboxOptions.withMuster(new StateDirectory(target.resolve("sandbox"))).scripting();
    System.out.println("Starting a control plane and Muster on this machine.");
    try (var sandbox = Sandbox.start(layout, options)) {
      var launchers = Launchers.watching(sandbox);
      try {
        new Play(sandbox, arguments[1], new Training(new Notes(shared))).run(manifest, rounds());
      } finally {
        launchers.close();
      }
    }
  }

  private static int rounds() {
    var text = Optional.ofNullable(System.getenv("ROUNDS")).orElse("1");
    if (!text.matches("[1-9][0-9]{0,2}")) {
      throw new SandboxException("ROUNDS is \"" + text + "\"; write a number from 1 to 999.");
    }
    return Integer.parseInt(text);
  }

  /** That folder, with nothing in it. */
  static Path fresh(Path folder) throws IOException {
    if (Files.exists(folder)) {
      try (var old = Files.walk(folder)) {
        for (Path path : old.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(path);
        }
      }
    }
    return Files.createDirectories(folder);
  }
}
