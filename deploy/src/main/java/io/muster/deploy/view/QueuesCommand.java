package io.muster.deploy.view;

import io.muster.deploy.console.ConsoleCommand;
import io.muster.deploy.console.OutputOptions;
import io.muster.extender.core.decision.Replay;
import io.muster.extender.core.protocol.query.QueueStanding;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code muster queues}: what each queue has, borrows, lends and is asked for. */
@Command(
    name = "queues",
    mixinStandardHelpOptions = true,
    description = {
      "Lists the queues: devices of their own, in use, borrowed, lent, and asked for by gangs that"
          + " wait. Only those who may read all nodes and pods can ask."
    },
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {"0:printed", "2:wrong use, or the cluster cannot be read"})
public final class QueuesCommand extends ConsoleCommand {

  private static final int OUTPUT_VERSION = 1;
  private static final String COLUMNS = "%-24s %7s %7s %8s %7s %7s %7s %7s";

  @Mixin private ViewOptions options = new ViewOptions();
  @Mixin private OutputOptions output = new OutputOptions();

  @Override
  protected int run() throws NoAnswerException, InterruptedException, IOException {
    var settings = options.settings();
    var queues = ShownQueues.of(new Replay(options.view(settings)));
    if (!options.isOfFile()) {
      ClusterSight.mistakenQueues(settings).ifPresent(this::warn);
    }
    output.print(out(), lines(queues), document(queues));
    return CommandLine.ExitCode.OK;
  }

  private static List<String> lines(List<QueueStanding> queues) {
    var lines = new ArrayList<String>();
    lines.add(
        COLUMNS.formatted("QUEUE", "OWN", "USED", "BORROWED", "LENT", "LIMIT", "ASKED", "WAITING"));
    queues.forEach(queue ->
        lines.add(
            COLUMNS.formatted(
                queue.name(),
                queue.quota().map(Object::toString).orElse("-"),
                queue.used(),
                queue.borrowed(),
                queue.lent(),
                queue.limit().map(Object::toString).orElse("-"),
                queue.asked(),
                queue.waiting())));
    return lines;
  }

  private static Map<String, Object> document(List<QueueStanding> queues) {
    var document = new LinkedHashMap<String, Object>();
    document.put("version", OUTPUT_VERSION);
    document.put("queues", queues.stream().map(QueuesCommand::document).toList());
    return document;
  }

  private static Map<String, Object> document(QueueStanding queue) {
    var one = new LinkedHashMap<String, Object>();
    one.put("name", queue.name());
    queue.quota().ifPresent(own -> one.put("own", own));
    one.put("used", queue.used());
    one.put("borrowed", queue.borrowed());
    one.put("lent", queue.lent());
    queue.limit().ifPresent(limit -> one.put("limit", limit));
    one.put("asked", queue.asked());
    one.put("waiting", queue.waiting());
    return one;
  }
}
