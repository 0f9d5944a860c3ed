package io.muster.played;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.docs.ExpectedOutput;
import io.muster.docs.Step;
import io.muster.docs.WalkPage;
import io.muster.sandbox.Command;
import io.muster.sandbox.Helm;
import io.muster.sandbox.Program;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A newcomer who follows a page in a cluster, in a folder that looks like a checkout, with helm and
 * kubectl on the PATH and a home of his own. Confined to one thread.
 */
final class Walk {

  private static final Duration LIMIT = Duration.ofMinutes(8);

  private final Path folder;
  private final Map<String, String> environment;

  /** What is done in the place of a block that cannot be run here. */
  interface StandIn {

    /**
     * Does it.
     *
     * @param folder in which the newcomer works
     */
    void play(Path folder) throws IOException;
  }

  Walk(PlayedCluster cluster) throws IOException {
    var sandbox = cluster.sandbox();
    folder = Files.createDirectories(sandbox.state().file("walk/checkout"));
    var home = Files.createDirectories(sandbox.state().file("walk/home"));
    var programs = Files.createDirectories(sandbox.state().file("walk/programs"));
    var root = sandbox.layout().deploy().getParent();
    Files.createSymbolicLink(folder.resolve("deploy"), root.resolve("deploy"));
    Files.createSymbolicLink(folder.resolve("examples"), root.resolve("examples"));
    Files.createSymbolicLink(programs.resolve("kubectl"), sandbox.programs().path(Program.KUBECTL));
    Files.createSymbolicLink(
        programs.resolve("helm"), Helm.findOrBuild(sandbox.layout()).program());
    environment =
        Map.of(
            "HOME",
            home.toString(),
            "PATH",
            home.resolve(".local/bin") + ":" + programs + ":/usr/local/bin:/usr/bin:/bin",
            "JAVA_HOME",
            System.getProperty("java.home"),
            "KUBECONFIG",
            sandbox.state().kubeconfig().toString());
  }

  /** Follows the page to its end; every block of it must do what the page says. */
  void follow(WalkPage page, Map<String, StandIn> standIns) throws IOException {
    for (var step : page.steps()) {
      var place = page.name() + ":" + step.line();
      System.out.println(place);
      switch (step) {
        case Step.Saved(var _, var file, var text) -> Files.writeString(folder.resolve(file), text);
        case Step.Shell(var _, var script, var expected) -> {
          var ran =
              Command.run(
                  LIMIT,
                  environment,
                  List.of("bash", "-euo", "pipefail", "-c", "cd '" + folder + "'\n" + script));
          assertThat(ran.exitCode()).as("%s%n%s%n%s", place, script, ran.output()).isZero();
          expected
              .flatMap(text -> new ExpectedOutput(text).mismatch(ran.output()))
              .ifPresent(difference -> {
                throw new AssertionError(place + ": " + difference);
              });
        }
        case Step.Played(var _, var name, var _, var _) -> {
          assertThat(standIns).as(place).containsKey(name);
          standIns.get(name).play(folder);
        }
      }
    }
  }
}
