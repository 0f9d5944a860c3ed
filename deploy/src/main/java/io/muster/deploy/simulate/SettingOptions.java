package io.muster.deploy.simulate;

import io.muster.deploy.simulate.world.Costs;
import io.muster.deploy.simulate.world.Policies;
import io.muster.deploy.simulate.world.Setup;
import io.muster.extender.core.gang.GoDuration;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queues;
import io.muster.extender.core.queue.Waiting;
import io.muster.extender.kube.InvalidQueuesException;
import io.muster.extender.kube.QueuesReading;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Option;

/** How Muster is set in a replay, and what is assumed of the jobs. */
final class SettingOptions {

  private static final String NEVER = "never";

  @Option(
      names = "--order",
      split = ",",
      defaultValue = "priority",
      description =
          "Of the queue that all gangs are in: priority, shortest-gang, least-attained, or some of"
              + " them, one replay each. Default: ${DEFAULT-VALUE}")
  private List<String> orders = List.of("priority");

  @Option(
      names = "--queues",
      paramLabel = "FILE",
      description = "Queues as in the ConfigMap muster-queues, in place of --order.")
  private Optional<Path> queues = Optional.empty();

  @Option(
      names = "--ageing",
      paramLabel = "TIME",
      description =
          "A gang that has waited this long goes first: 12h, or never. Default: 12h, as live, for"
              + " priority and --queues; never for the other orders.")
  private Optional<String> ageing = Optional.empty();

  @Option(
      names = "--no-hints",
      description = "No job says how long it runs. Else all do, and the truth.")
  private boolean isSilent;

  @Option(
      names = "--restart",
      paramLabel = "TIME",
      defaultValue = "60s",
      description = "What it costs a gang to start again. Default: ${DEFAULT-VALUE}")
  private String restart = "60s";

  @Option(
      names = "--checkpoint",
      paramLabel = "TIME",
      defaultValue = "10m",
      description = "Work since the last one is lost; 0: none is. Default: ${DEFAULT-VALUE}")
  private String checkpoint = "10m";

  @Option(
      names = "--grace",
      paramLabel = "TIME",
      defaultValue = "30s",
      description =
          "How long pods that were told to end hold their devices. Default: ${DEFAULT-VALUE}")
  private String grace = "30s";

  List<Order> orders() {
    if (queues.isPresent()) {
      return List.of(Order.PRIORITY);
    }
    return orders.stream()
        .map(label ->
            Order.of(label)
                .orElseThrow(() ->
                    new WrongUseException(
                        "--order: must be priority, shortest-gang or least-attained, not "
                            + label)))
        .toList();
  }

  String label(Order order) {
    return queues.isPresent() ? "queues" : order.label();
  }

  Setup setup(Order order) throws IOException, InvalidQueuesException {
    var costs =
        new Costs(
            time("--restart", restart), time("--checkpoint", checkpoint), time("--grace", grace));
    return Policies.setup(queues(order), ageing(order), costs, !isSilent);
  }

  private Queues queues(Order order) throws IOException, InvalidQueuesException {
    return queues.isPresent()
        ? QueuesReading.read(Files.readString(queues.get()))
        : Policies.oneQueue(order);
  }

  private Duration ageing(Order order) {
    if (ageing.isPresent()) {
      return ageing.get().equals(NEVER) ? Policies.NO_AGEING : time("--ageing", ageing.get());
    }
    return order == Order.PRIORITY ? Waiting.DEFAULT.ageing() : Policies.NO_AGEING;
  }

  private static Duration time(String option, String written) {
    return GoDuration.parse(written)
        .filter(time -> !time.isNegative())
        .orElseThrow(() ->
            new WrongUseException(
                "%s: must be a duration like 90s, 10m or 1h30m, not %s"
                    .formatted(option, written)));
  }
}
