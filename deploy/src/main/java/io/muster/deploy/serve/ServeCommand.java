package io.muster.deploy.serve;

import io.muster.deploy.config.Config;
import io.muster.deploy.config.InvalidConfigException;
import io.muster.deploy.config.Setting;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code muster serve}: runs until it is told to stop. */
@Command(
    name = "serve",
    mixinStandardHelpOptions = true,
    description = "Serves kube-scheduler and the apiserver until it is stopped.")
public final class ServeCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "YAML file of settings; MUSTER_CFG_* variables win over it.")
  private Optional<Path> file = Optional.empty();

  @Override
  public Integer call() throws InterruptedException {
    Config config;
    try {
      config = Config.load(file, System.getenv());
    } catch (InvalidConfigException e) {
      e.getMessage()
          .lines()
          .forEach(line -> spec.commandLine().getErr().println("muster: " + line));
      return CommandLine.ExitCode.USAGE;
    }
    // Before the first logger is made, which reads this once.
    System.setProperty(
        "logback.configurationFile", "logback-" + config.text(Setting.LOG_FORMAT) + ".xml");
    var stopped = new CountDownLatch(1);
    var serving = Serving.start(config, stopped::countDown);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  serving.close();
                  stopped.countDown();
                },
                "muster-stop"));
    stopped.await();
    return CommandLine.ExitCode.OK;
  }
}
