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
import java.util.concurrent.atomic.AtomicBoolean;
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
      "1:a Muster still runs, kube-scheduler asks it, a pod or node could not be let go, or an"
          + " object not be deleted",
      "2:wrong use, Muster is in another namespace, or the apiserver refuses"
    })
public final class UninstallCommand extends ConsoleCommand {

  private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

  /** Twice the grace period of Muster's pods. */
  private static final int STOP_SECONDS = 80;

  /** For a Lease that does not say how long it lasts. */
  private static final int LEASE_SECONDS = 15;

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
      names = "--unasked",
      description =
          "With --deployment: without asking whether kube-scheduler asks Muster, where none does.")
  private boolean unasked;

  @Option(
      names = "--force",
      description =
          "With --deployment: also while kube-scheduler asks Muster. It then schedules no pod with"
              + " accelerators until Muster is taken out of its configuration. And also where pods or"
              + " nodes could not be let go.")
  private boolean force;

  private final Release.Pause pause;

  /** For picocli. */
  public UninstallCommand() {
    this(() -> Thread.sleep(BETWEEN_LOOKS));
  }

  /**
   * @param pause between two looks, a second
   */
  UninstallCommand(Release.Pause pause) {
    this.pause = pause;
  }

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
        return stop(running, new Installation(client, namespace), release);
      }
      return switch (new Installation(client, namespace).found()) {
        case Installation.Found.Elsewhere elsewhere -> complain(refusal(namespace, elsewhere));
        case Installation.Found.Here _ ->
            takeAway(new Uninstall(client, namespace, out::println), release, true);
        case Installation.Found.Nowhere _ -> {
          out.println(
              "no Muster is in namespace %s, nor a trace of one anywhere: looking for what is left"
                  .formatted(namespace));
          yield takeAway(new Uninstall(client, namespace, out::println), release, false);
        }
      };
    }
  }

  private static String refusal(String namespace, Installation.Found.Elsewhere elsewhere) {
    return "no Muster is in namespace %s: %s names namespace %s. Nothing was done; say -n %s if that one is meant"
        .formatted(namespace, elsewhere.trace(), elsewhere.namespace(), elsewhere.namespace());
  }

  private int takeAway(Uninstall uninstall, Release release, boolean here)
      throws InterruptedException {
    var out = out();
    var left = here ? release.all(pause) : release.cluster(pause);
    var leader = here ? leader(uninstall) : Optional.<String>empty();
    if (leader.isPresent()) {
      out.println(
          "%s still leads, and passes everything through. Next: take Muster out of extenders in"
                  .formatted(leader.get())
              + " kube-scheduler's configuration and restart kube-scheduler; stop Muster; run this"
              + " again");
      out.flush();
      left.forEach(this::warn);
      return 1;
    }
    uninstall.all(here);
    if (here) {
      // A namespace that stays may be Muster's once more.
      var _ = release.unmark();
    }
    if (crds) {
      uninstall.definitions();
    }
    uninstall.left().ifPresent(left::add);
    out.println(
        "done; kube-scheduler refuses pods with GPUs for as long as its configuration names Muster"
            + " in extenders");
    out.flush();
    left.forEach(this::warn);
    return left.isEmpty() ? 0 : 1;
  }

  private int stop(RunningDeployment running, Installation installation, Release release)
      throws InterruptedException {
    if (!running.isInstalled()
        && installation.registered().orElse(null) instanceof Installation.Found.Elsewhere other) {
      return complain(refusal(cluster.config().text(Setting.NAMESPACE), other));
    }
    var asked = force || unasked ? Optional.<String>empty() : running.asked();
    if (asked.isPresent()) {
      warn(
          "%s; without Muster it schedules no pod with accelerators. Take Muster out of"
                  .formatted(asked.get())
              + " extenders in its configuration and try again after three minutes, or say"
              + " --force (uninstallHook.force in the chart)");
      return 1;
    }
    var isUnmarked = new AtomicBoolean();
    // The Job of a hook has a deadline, at which this process is ended.
    Runtime.getRuntime().addShutdownHook(new Thread(() -> unmark(release, isUnmarked)));
    try {
      return isStopped(running, release) ? 0 : 1;
    } finally {
      unmark(release, isUnmarked);
    }
  }

  /**
   * Where nobody is left who would register again, the next installation starts unmarked; a Muster
   * that has not been stopped takes up its duty again.
   */
  private void unmark(Release release, AtomicBoolean isUnmarked) {
    if (!isUnmarked.getAndSet(true)) {
      var _ = release.unmark();
    }
  }

  private boolean isStopped(RunningDeployment running, Release release)
      throws InterruptedException {
    var out = out();
    var left = release.all(pause);
    out.flush();
    left.forEach(this::warn);
    if (!left.isEmpty() && !force) {
      warn(
          "Muster goes on: see why they cannot be changed and try again, or say --force"
              + " (uninstallHook.force in the chart)");
      return false;
    }
    running.scaleToZero();
    for (int looks = 0; running.isThere(); looks++) {
      if (looks >= STOP_SECONDS) {
        warn(
            "pods of Deployment %s are there after %ds: see that nothing scales it up, and run this again"
                .formatted(deployment.orElseThrow(), STOP_SECONDS));
        return false;
      }
      pause.pass();
    }
    out.println("Muster has stopped; what was installed may be deleted");
    out.flush();
    return true;
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

  /**
   * Who renews the Lease for as long as it lasts: one that was killed leaves a Lease that nobody
   * renews, and between two leaders nobody has it.
   */
  private Optional<String> leader(Uninstall uninstall) throws InterruptedException {
    var first = uninstall.lease();
    int seconds =
        first.map(LeaseSpec::getLeaseDurationSeconds).orElse(first.isPresent() ? LEASE_SECONDS : 0);
    for (int looks = 0; first.isPresent() && looks <= seconds; looks++) {
      pause.pass();
      var leader =
          uninstall
              .lease()
              .filter(now -> !Objects.equals(now.getRenewTime(), first.get().getRenewTime()))
              .map(LeaseSpec::getHolderIdentity)
              .filter(holder -> !holder.isEmpty());
      if (leader.isPresent()) {
        return leader;
      }
    }
    return Optional.empty();
  }
}
