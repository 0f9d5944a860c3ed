package io.muster.deploy.view;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.muster.deploy.config.OutputOptions;
import io.muster.extender.core.decision.Replay;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code muster top}: the devices of each node, and whose they are. */
@Command(
    name = "top",
    mixinStandardHelpOptions = true,
    description = {
      "Lists the devices of each node: in use, kept for gangs that start, and free, and the gangs"
          + " on it. Only those who may read all nodes and pods can ask."
    },
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {"0:printed", "2:wrong use, or the cluster cannot be read"})
public final class TopCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;
  @Mixin private ViewOptions options = new ViewOptions();
  @Mixin private OutputOptions output = new OutputOptions();

  @Option(
      names = "--by",
      paramLabel = "LABEL",
      description = "Adds up the nodes that have the same value of this label, such as a rack's.")
  private Optional<String> label = Optional.empty();

  @Override
  public Integer call() throws InterruptedException, JsonProcessingException {
    try {
      var nodes = new Replay(options.view(options.settings())).nodes();
      var table = label.map(key -> NodeTable.by(key, nodes)).orElseGet(() -> NodeTable.of(nodes));
      var out = spec.commandLine().getOut();
      switch (output.format()) {
        case text -> table.lines().forEach(out::println);
        case json -> OutputOptions.printJson(table.document(), out);
      }
      out.flush();
      return CommandLine.ExitCode.OK;
    } catch (ClusterSight.NoSightException e) {
      spec.commandLine().getErr().println("muster: " + e.getMessage());
      return CommandLine.ExitCode.USAGE;
    }
  }
}
