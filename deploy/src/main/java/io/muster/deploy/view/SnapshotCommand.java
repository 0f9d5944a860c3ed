package io.muster.deploy.view;

import io.muster.deploy.config.ClusterOptions;
import io.muster.deploy.console.ConsoleCommand;
import io.muster.extender.core.protocol.ClusterView;
import io.muster.extender.kube.snapshot.SnapshotFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code muster snapshot}: the cluster as decisions see it, in a file to be looked at elsewhere.
 */
@Command(
    name = "snapshot",
    mixinStandardHelpOptions = true,
    description = {
      "Writes down the cluster as Muster's decisions see it, as JSON: nodes, pods by what they ask"
          + " for and their gangs, and Gang records. Names and labels are in it; no secrets,"
          + " environments, commands or images are.",
      "muster fit and muster explain read it with --snapshot, wherever that is."
    },
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {"0:written", "2:wrong use, or the cluster cannot be read"})
public final class SnapshotCommand extends ConsoleCommand {

  @Mixin private ClusterOptions cluster = new ClusterOptions();

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description = "Default: standard output.")
  private Optional<Path> output = Optional.empty();

  @Override
  protected int run() throws NoAnswerException, InterruptedException {
    try {
      write(ClusterSight.ofCluster(cluster.config()));
      return CommandLine.ExitCode.OK;
    } catch (IOException e) {
      return complain("cannot be written: " + e.getMessage());
    }
  }

  private void write(ClusterView view) throws IOException {
    var out = out();
    if (output.isEmpty()) {
      var text = new ByteArrayOutputStream();
      SnapshotFile.write(view, text);
      out.print(text.toString(StandardCharsets.UTF_8));
    } else {
      try (var file = Files.newOutputStream(output.get())) {
        SnapshotFile.write(view, file);
      }
      out.printf(
          "%s: %d nodes, %d pods, %d gangs%n",
          output.get(), view.nodes().size(), view.pods().size(), view.gangs().size());
    }
    out.flush();
  }
}
