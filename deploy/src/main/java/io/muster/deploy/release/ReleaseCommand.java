package io.muster.deploy.release;

import io.muster.deploy.config.ClusterOptions;
import io.muster.deploy.config.Setting;
import io.muster.deploy.console.ConsoleCommand;
import io.muster.deploy.serve.ClusterAccess;
import java.time.Duration;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code muster release}: for the hour in which Muster itself is what is wrong. */
@Command(
    name = "release",
    mixinStandardHelpOptions = true,
    description = {
      "Takes Muster out of the cluster's way, or puts it back.",
      "Needs the rights of an administrator; Muster need not run."
    })
public final class ReleaseCommand extends ConsoleCommand {

  private static final Duration BETWEEN_PASSES = Duration.ofSeconds(1);

  @Mixin private ClusterOptions cluster = new ClusterOptions();

  @ArgGroup(multiplicity = "1")
  private Which which;

  /** What is to be done; one of them must be said, so that nothing happens by a slip. */
  static final class Which {

    @Option(
        names = "--all",
        description =
            "withdraw the registration, open every gate, and have a running Muster pass everything"
                + " through")
    private boolean all;

    @Option(names = "--undo", description = "let Muster take up its duty again")
    private boolean undo;
  }

  @Override
  protected int run() throws InterruptedException {
    var out = out();
    var config = cluster.config();
    try (var client = ClusterAccess.wholeObjects(config)) {
      var release = new Release(client, config.text(Setting.NAMESPACE), out::println);
      if (which.all) {
        release.all(() -> Thread.sleep(BETWEEN_PASSES));
      }
      if (which.undo) {
        release.undo();
      }
    }
    out.flush();
    return 0;
  }
}
