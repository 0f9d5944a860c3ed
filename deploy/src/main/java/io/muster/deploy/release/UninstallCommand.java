package io.muster.deploy.release;

import io.fabric8.kubernetes.api.model.coordination.v1.LeaseSpec;
import io.muster.deploy.config.ClusterOptions;
import io.muster.deploy.config.Setting;
import io.muster.deploy.console.ConsoleCommand;
import io.muster.deploy.serve.ClusterAccess;
import java.io.Console;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code muster uninstall}: the orderly end, in two steps with kube-scheduler between them. */
@Command(
    name = "uninstall",
    mixinStandardHelpOptions = true,
    description = {
      "Takes Muster out of a cluster. No pod is ended, no job is deleted.",
      "While a Muster runs it is released, as by muster release --all: every pod is scheduled"
          + " without it. Then take it out of kube-scheduler's extenders, stop it, and run this again:"
          + " what it has put into the cluster goes. May be repeated at any time."
    },
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {
      "0:nothing of Muster is left but what was to stay",
      "1:a Muster still runs, or kube-scheduler asks it",
      "2:wrong use, or the apiserver refuses"
    })
public final class UninstallCommand extends ConsoleCommand {

  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

  /** Twice the grace period of Muster's pods. */
  private static final int STOP_SECONDS = 80;

  @Mixin private ClusterOptions cluster = new ClusterOptions();

  @Option(
      names = "--drain",
      description =
          "Let every waiting pod go first. Must be said, so that nothing happens by a slip.")
  private boolean drain;

  @Option(
      names = "--crds",
      description =
          "Delete the definitions too: that of gangs with all Gang objects, and those of job kinds"
              + " of which there is no job. Asks first.")
  private boolean crds;

  @Option(names = "--yes", description = "Do not ask.")
  private boolean yes;

  @Option(
      names = "--deployment",
      paramLabel = "NAME",
      description =
          "For hooks of a package manager: let every waiting pod go, and stop this Deployment of"
              + " Muster. Everything else is left to the package manager.")
  private Optional<String> deployment = Optional.empty();

  @Option(
      names = "--force",
      description =
          "With --deployment: also while kube-scheduler asks Muster. It then schedules no pod with"
              + " accelerators until Muster is taken out of its configuration.")
  private boolean force;

  @Override
  protected int run() throws InterruptedException {
    var out = out();
    if (!drain) {
      return complain("say --drain: every waiting pod is let go first");
    }
    if (crds && !yes && !isConfirmed()) {
      return complain("nothing was done; --yes confirms --crds");
    }
    var config = cluster.config();
    var namespace = config.text(Setting.NAMESPACE);
    try (var client = ClusterAccess.forCommand(config)) {
      var release = new Release(client, namespace, out::println);
      if (deployment.isPresent()) {
        var running =
            new RunningDeployment(
                client, namespace, deployment.get(), config.port(Setting.HEALTH_PORT));
        return stop(running, release);
      }
      release.all(UninstallCommand::pause);
      var uninstall = new Uninstall(client, namespace, out::println);
      var leader = leader(uninstall);
      if (leader.isPresent()) {
        out.println(
            "%s still leads, and passes everything through. Next: take Muster out of extenders in"
                    .formatted(leader.get())
                + " kube-scheduler's configuration and restart kube-scheduler; stop Muster; run this"
                + " again");
        out.flush();
        return 1;
      }
      uninstall.all();
      if (crds) {
        uninstall.definitions();
      }
      out.println(
          "done; kube-scheduler refuses pods with GPUs for as long as its configuration names Muster"
              + " in extenders");
    }
    out.flush();
    return 0;
  }

  private int stop(RunningDeployment running, Release release) throws InterruptedException {
    var out = out();
    var asked = force ? Optional.<String>empty() : running.asked();
    if (asked.isPresent()) {
      warn(
          "%s; without Muster it schedules no pod with accelerators. Take Muster out of"
                  .formatted(asked.get())
              + " extenders in its configuration and try again after three minutes, or say"
              + " --force (uninstallHook.force in the chart)");
      return 1;
    }
    release.all(UninstallCommand::pause);
    running.scaleToZero();
    for (int looks = 0; running.isThere(); looks++) {
      if (looks >= STOP_SECONDS) {
        warn(
            "pods of Deployment %s are there after %ds: see that nothing scales it up, and run this again"
                .formatted(deployment.orElseThrow(), STOP_SECONDS));
        return 1;
      }
      pause();
    }
    // Nobody is left who would register again, and the next installation starts unmarked.
    var _ = release.unmark();
    out.println("Muster has stopped; what was installed may be deleted");
    out.flush();
    return 0;
  }

  private boolean isConfirmed() {
    return Optional.ofNullable(System.console())
        .map(Console::writer)
        .map(writer -> {
          writer.print("Delete the definitions, and with them every Gang object? (yes/no) ");
          writer.flush();
          return System.console().readLine();
        })
        .filter("yes"::equals)
        .isPresent();
  }

  /** One that was killed leaves a lease that nobody renews. */
  private static Optional<String> leader(Uninstall uninstall) throws InterruptedException {
    var first = uninstall.held();
    if (first.isEmpty()) {
      return Optional.empty();
    }
    int seconds = Objects.requireNonNullElse(first.get().getLeaseDurationSeconds(), 0);
    for (int looks = 0; looks <= seconds; looks++) {
      pause();
      var now = uninstall.held();
      if (now.isEmpty()) {
        return Optional.empty();
      }
      if (!now.get().getRenewTime().equals(first.get().getRenewTime())) {
        return now.map(LeaseSpec::getHolderIdentity);
      }
    }
    return Optional.empty();
  }

  private static void pause() throws InterruptedException {
    Thread.sleep(BETWEEN_LOOKS);
  }
}
