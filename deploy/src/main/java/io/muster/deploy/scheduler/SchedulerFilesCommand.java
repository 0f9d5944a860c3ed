package io.muster.deploy.scheduler;

import io.muster.deploy.console.ConsoleCommand;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

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
public final class SchedulerFilesCommand extends ConsoleCommand {

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
  protected int run() throws InterruptedException {
    if (every < 1) {
      return complain("--every-seconds must be at least 1");
    }
    var files = new SchedulerFiles(from, to);
    while (true) {
      try {
        if (files.copy()) {
          out().println("written: " + to);
          out().flush();
        }
      } catch (IOException e) {
        warn("%s cannot be written: %s".formatted(to, SchedulerFiles.reason(e)));
        return 1;
      }
      if (once) {
        return 0;
      }
      Thread.sleep(Duration.ofSeconds(every));
    }
  }
}
