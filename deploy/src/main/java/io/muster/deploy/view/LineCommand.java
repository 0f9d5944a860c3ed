package io.muster.deploy.view;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.muster.deploy.console.ConsoleCommand;
import io.muster.deploy.console.OutputOptions;
import io.muster.deploy.serve.ClusterAccess;
import io.muster.extender.core.decision.Replay;
import io.muster.extender.core.protocol.query.QueueStanding;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code muster line}: the gangs that wait, in the order in which they are tried. */
@Command(
    name = "line",
    mixinStandardHelpOptions = true,
    description = {
      "Lists the gangs that wait, in the order in which they are tried, and says why each waits.",
      "Who may not read all nodes and pods sees what a running Muster says of the gangs of one"
          + " namespace."
    },
    exitCodeListHeading = "Exit codes:%n",
    exitCodeList = {"0:printed", "2:wrong use, or no cluster"})
public final class LineCommand extends ConsoleCommand {

  private static final InstantSource CLOCK = InstantSource.system();

  @Mixin private ViewOptions options = new ViewOptions();
  @Mixin private OutputOptions output = new OutputOptions();

  @Option(
      names = {"-A", "--all-namespaces"},
      description = "Gangs of all namespaces.")
  private boolean all;

  @Option(names = "--queue", paramLabel = "NAME", description = "Gangs of that queue alone.")
  private Optional<String> queue = Optional.empty();

  @Override
  protected int run() throws NoAnswerException, InterruptedException, IOException {
    var settings = options.settings();
    var namespace = all ? Optional.<String>empty() : Optional.of(options.namespace(settings));
    if (options.isOfFile()) {
      var replayed = new Replay(options.view(settings));
      var wrong = unknownQueue(replayed);
      return wrong.isPresent()
          ? complain(wrong.get())
          : print(
              WaitingLine.of(replayed).of(namespace, queue), namespace, replayed.view().takenAt());
    }
    try (var client = ClusterAccess.forReading(settings)) {
      var sight = new LiveSight(client, settings);
      var replay = sight.replay();
      if (replay.isPresent()) {
        var wrong = unknownQueue(replay.get());
        if (wrong.isPresent()) {
          return complain(wrong.get());
        }
        var line = WaitingLine.of(replay.get()).of(namespace, queue);
        return print(
            sight.isLed() ? line.expecting(sight.gangs(namespace)) : line,
            namespace,
            CLOCK.instant());
      }
      var why = sight.blindness().orElse("the cluster cannot be read");
      if (all || queue.isPresent()) {
        return complain(why);
      }
      warn("not all can be told: " + why);
      return print(WaitingLine.told(sight.gangs(namespace)), namespace, CLOCK.instant());
    }
  }

  private Optional<String> unknownQueue(Replay replay) {
    var known = replay.queues().stream().map(QueueStanding::name).toList();
    return queue
        .filter(name -> !known.contains(name))
        .map(name ->
            "there is no queue %s: queues are %s".formatted(name, String.join(", ", known)));
  }

  private int print(WaitingLine line, Optional<String> namespace, Instant now)
      throws JsonProcessingException {
    var lines = line.rows().isEmpty() ? List.of(noneWaits(namespace)) : line.lines(now);
    output.print(out(), lines, line.document());
    return CommandLine.ExitCode.OK;
  }

  /** Names what was looked at: others may wait elsewhere. */
  private String noneWaits(Optional<String> namespace) {
    return "no gang waits"
        + queue.map(" in queue %s"::formatted).orElse("")
        + namespace.map(" in namespace %s"::formatted).orElse("");
  }
}
