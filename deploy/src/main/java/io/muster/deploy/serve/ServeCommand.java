package io.muster.deploy.serve;

import io.muster.deploy.config.Config;
import io.muster.deploy.config.InvalidConfigException;
import io.muster.deploy.config.Setting;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code muster serve}: runs until it is told to stop. */
@Command(
    name = "serve",
    mixinStandardHelpOptions = true,
    description = "Serves kube-scheduler and the apiserver until it is stopped.")
public final class ServeCommand implements Callable<Integer> {

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = "YAML file of settings; MUSTER_CFG_* variables win over it.")
  private Optional<Path> file = Optional.empty();

  /**
   * The command that these arguments are, if they are {@code serve} alone or with {@code --config
   * FILE}: without picocli, whose classes are compiled for a JVM too old for an AOT cache.
   */
  public static Optional<ServeCommand> plain(List<String> arguments) {
    boolean isPlain =
        arguments.equals(List.of("serve"))
            || (arguments.size() == 3
                && arguments.subList(0, 2).equals(List.of("serve", "--config")));
    var command = new ServeCommand();
    command.file = arguments.stream().skip(2).findFirst().map(Path::of);
    return Optional.of(command).filter(_ -> isPlain);
  }

  @Override
  public Integer call() throws InterruptedException {
    Config config;
    try {
      config = Config.load(file, System.getenv());
    } catch (InvalidConfigException e) {
      e.getMessage().lines().forEach(line -> System.err.println("muster: " + line));
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
