package io.muster.image;

import io.muster.sandbox.Layout;
import io.muster.sandbox.MusterOptions;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxOptions;
import io.muster.sandbox.StateDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Runs where there is no network but loopback: a control plane, and the image's {@code serve} on
 * it. Arguments: an image layout, and a folder for its root. Prints how long Muster took to be
 * ready, what the kernel says of its process, and what it logged.
 */
final class ServedAlone {

  private static final Duration LIMIT = Duration.ofSeconds(60);

  private ServedAlone() {}

  public static void main(String[] arguments) throws IOException {
    var root = RootFilesystem.unpack(Path.of(arguments[0]), Path.of(arguments[1]));
    var layout = Layout.current();
    var state = new StateDirectory(layout.deploy().resolve("target/sandbox/image"));
    var process =
        ConfinedProcess.of(root)
            .seeing(state.file("muster.kubeconfig"))
            .seeing(state.file("muster.yaml"));
    try (var sandbox = Sandbox.start(layout, SandboxOptions.bare(state))) {
      var muster =
          sandbox.prepareMuster(MusterOptions.DEFAULT.launchedBy(process.command(List.of())));
      long begun = System.nanoTime();
      muster.launch();
      muster.awaitReady(LIMIT);
      System.out.printf("ready after %d ms%n", (System.nanoTime() - begun) / 1_000_000);
      System.out.print(Files.readString(Path.of("/proc/" + muster.pid() + "/status")));
      Files.readString(Path.of("/proc/" + muster.pid() + "/mountinfo"))
          .lines()
          .filter(mount -> mount.split(" ", -1)[4].equals("/"))
          .forEach(mount -> System.out.println("root: " + mount));
      muster.terminate(LIMIT);
      System.out.print(Files.readString(muster.log()));
    }
  }
}
