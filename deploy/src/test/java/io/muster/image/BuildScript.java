package io.muster.image;

import io.muster.sandbox.Command;
import io.muster.sandbox.Layout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** {@code deploy/image/build --aot}, as a release runs it. */
public final class BuildScript {

  private static final Duration LIMIT = Duration.ofMinutes(12);

  private BuildScript() {}

  /**
   * Makes the image.
   *
   * @param to where the image layout and the rest will be
   * @throws ImageException with what it printed if it fails
   */
  public static void run(Path to) {
    run(to, "exec");
  }

  /**
   * @param how words of a shell before the command, such as {@code umask 077; exec}
   */
  static void run(Path to, String how) {
    var script = Layout.current().deploy().resolve("image/build");
    var ran =
        Command.run(
            LIMIT,
            List.of(
                "/bin/sh",
                "-c",
                how + " \"$0\" --aot --to \"$1\"",
                script.toString(),
                to.toString()));
    if (ran.exitCode() != 0) {
      throw new ImageException(ran.output());
    }
  }
}
