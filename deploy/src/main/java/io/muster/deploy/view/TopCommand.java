package io.muster.deploy.view;

import io.muster.deploy.console.ConsoleCommand;
import io.muster.deploy.console.OutputOptions;
import io.muster.extender.core.decision.Replay;
import java.io.IOException;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

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
public final class TopCommand extends ConsoleCommand {

  @Mixin private ViewOptions options = new ViewOptions();
  @Mixin private OutputOptions output = new OutputOptions();

  @Option(
      names = "--by",
      paramLabel = "LABEL",
      description = "Adds up the nodes that have the same value of this label, such as a rack's.")
  private Optional<String> label = Optional.empty();

  @Override
  protected int run() throws NoAnswerException, InterruptedException, IOException {
    var nodes = new Replay(options.view(options.settings())).nodes();
    var table = label.map(key -> NodeTable.by(key, nodes)).orElseGet(() -> NodeTable.of(nodes));
    output.print(out(), table.lines(), table.document());
    return CommandLine.ExitCode.OK;
  }
}
