package io.muster.deploy.release;

import io.muster.deploy.config.ClusterOptions;
import io.muster.deploy.config.Setting;
import io.muster.deploy.console.ConsoleCommand;
import io.muster.deploy.serve.ClusterAccess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
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
    },
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {
      "0:all is released, or put back",
      "1:a part of it is not: standard error says which",
      "2:wrong use, or the apiserver refuses"
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

  private final Release.Pause pause;

  /** For picocli. */
  public ReleaseCommand() {
    this(() -> Thread.sleep(BETWEEN_PASSES));
  }

  /**
   * @param pause until what was changed has reached every apiserver
   */
  ReleaseCommand(Release.Pause pause) {
    this.pause = pause;
  }

  @Override
  protected int run() throws InterruptedException {
    var out = out();
    var config = cluster.config();
    var namespace = config.text(Setting.NAMESPACE);
    try (var client = ClusterAccess.forCommand(config)) {
      var release = new Release(client, namespace, out::println);
      var left = new ArrayList<String>();
      var found = new Installation(client, namespace).found();
      if (found instanceof Installation.Found.Elsewhere(var other, var trace)) {
        left.add(
            "no Muster is in namespace %s: %s names namespace %s. The Muster there has not been told: run this again with -n %s"
                .formatted(namespace, trace, other, other));
      }
      if (found instanceof Installation.Found.Nowhere) {
        out.println(
            "no Muster is in namespace %s, nor a trace of one anywhere".formatted(namespace));
      }
      if (which.all) {
        left.addAll(releaseAll(release, found));
      }
      if (which.undo) {
        left.addAll(release.undo());
      }
      out.flush();
      left.forEach(this::warn);
      return left.isEmpty() ? 0 : 1;
    }
  }

  /** Only a namespace of Muster's is told; the rest is done wherever Muster may be. */
  private List<String> releaseAll(Release release, Installation.Found found)
      throws InterruptedException {
    return found instanceof Installation.Found.Here ? release.all(pause) : release.cluster(pause);
  }
}
