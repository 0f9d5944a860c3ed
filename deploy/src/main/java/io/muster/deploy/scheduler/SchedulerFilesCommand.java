package io.muster.deploy.scheduler;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code muster scheduler-files}: what a static pod reads, kept on its node. */
@Command(
    name = "scheduler-files",
    mixinStandardHelpOptions = true,
    description = {
      "Copies the files of mounted Secrets and ConfigMaps into a folder of the node, where a static"
          + " pod reads them, now and whenever they change. Asks no API server.",
    },
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {"0:copied once", "1:the folder cannot be written", "2:wrong use"})
public final class SchedulerFilesCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Option(
      names = "--from",
      paramLabel = "FOLDER",
      required = true,
      description = "Where they are mounted. May be repeated.")
  private List<Path> from = List.of();

  @Option(names = "--to", paramLabel = "FOLDER", required = true, description = "On the node.")
  private Path to = Path.of("");

  @Option(names = "--once", description = "Copy them and end.")
  private boolean once;

  @Option(
      names = "--every-seconds",
      defaultValue = "10",
      description = "How often to look. Default: ${DEFAULT-VALUE}")
  private int every = 10;

  @Override
  public Integer call() throws InterruptedException {
    if (every < 1) {
      spec.commandLine().getErr().println("muster: --every-seconds must be at least 1");
      return 2;
    }
    var files = new SchedulerFiles(from, to);
    while (true) {
      try {
        if (files.copy()) {
          spec.commandLine().getOut().println("written: " + to);
          spec.commandLine().getOut().flush();
        }
      } catch (IOException e) {
        spec.commandLine()
            .getErr()
            .println("muster: %s cannot be written: %s".formatted(to, SchedulerFiles.reason(e)));
        return 1;
      }
      if (once) {
        return 0;
      }
      Thread.sleep(Duration.ofSeconds(every));
    }
  }
}
