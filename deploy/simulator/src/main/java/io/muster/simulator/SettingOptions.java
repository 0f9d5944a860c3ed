package io.muster.simulator;

import io.muster.controller.core.elastic.ByTerms;
import io.muster.controller.core.elastic.Elasticity;
import io.muster.extender.core.gang.dialect.GoDuration;
import io.muster.extender.core.protocol.PlacementMode;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queues;
import io.muster.extender.core.queue.Waiting;
import io.muster.extender.kube.convert.InvalidQueuesException;
import io.muster.extender.kube.convert.QueuesReading;
import io.muster.simulator.world.PolicyNames;
import io.muster.simulator.world.Setup;
import io.muster.simulator.world.cluster.Costs;
import io.muster.simulator.world.cluster.SegmentRule;
import io.muster.simulator.world.cluster.Trace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import picocli.CommandLine.Option;

/** How Muster is set in a replay, and what is assumed of the jobs. */
final class SettingOptions {

  private static final String NEVER = "never";
  private static final Pattern SEGMENT = Pattern.compile("([1-9]\\d{0,5})=([1-9]\\d{0,3})");

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

  @Option(
      names = "--placement",
      paramLabel = "MODE",
      defaultValue = "affinity",
      description =
          "placementMode of Muster: affinity, or extender, which is slower to replay. Default:"
              + " ${DEFAULT-VALUE}")
  private String placement = "affinity";

  @Option(
      names = "--segments",
      paramLabel = "GPUS=PODS,...",
      description =
          "Gangs of at least so many GPUs have segments of so many pods, each in one rack, as by"
              + " the annotation muster.io/gang-segments: 128=16,32=4. Needs --fabric.")
  private Optional<String> segments = Optional.empty();

  @Option(
      names = "--elastic",
      paramLabel = "POLICY",
      defaultValue = "gang",
      description =
          "By what jobs whose pods may be more change their size: gang, edl or off, as the setting"
              + " elasticPolicy. Default: ${DEFAULT-VALUE}")
  private String elastic = "gang";

  @Option(
      names = "--resize-cost",
      paramLabel = "TIME",
      defaultValue = "60s",
      description =
          "All of a job stands still so long when its size changes. Default: ${DEFAULT-VALUE}")
  private String resizeCost = "60s";

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

  Setup setup(Order order, Trace trace) throws IOException, InvalidQueuesException {
    if (segments.isPresent() && trace.machines().stream().allMatch(m -> m.domains().isEmpty())) {
      throw new WrongUseException("--segments: say by --fabric which nodes are in one rack");
    }
    var costs =
        new Costs(
            time("--restart", restart),
            time("--checkpoint", checkpoint),
            time("--grace", grace),
            time("--resize-cost", resizeCost));
    return PolicyNames.setup(queues(order), ageing(order), costs, !isSilent)
        .placing(placement())
        .sizedBy(elasticity())
        .segmentedBy(segments.map(SettingOptions::rule).orElse(SegmentRule.NONE));
  }

  private static SegmentRule rule(String written) {
    var sizes = new HashMap<Long, Integer>();
    for (var pair : written.split(",", -1)) {
      var read = SEGMENT.matcher(pair);
      if (!read.matches()) {
        throw new WrongUseException(
            "--segments: must be GPUs of a gang and pods of its segments, like 128=16,32=4, not "
                + written);
      }
      sizes.put(Long.parseLong(read.group(1)), Integer.parseInt(read.group(2)));
    }
    return new SegmentRule(sizes);
  }

  private PlacementMode placement() {
    return switch (placement) {
      case "affinity" -> PlacementMode.AFFINITY;
      case "extender" -> PlacementMode.EXTENDER;
      default ->
          throw new WrongUseException(
              "--placement: must be affinity or extender, not " + placement);
    };
  }

  private Supplier<Elasticity> elasticity() {
    return switch (elastic) {
      case "gang" -> PolicyNames::wholeGangsFirst;
      case "edl" -> PolicyNames::loadOfTheCpu;
      case "off" -> ByTerms::withoutSharing;
      default -> throw new WrongUseException("--elastic: must be gang, edl or off, not " + elastic);
    };
  }

  private Queues queues(Order order) throws IOException, InvalidQueuesException {
    return queues.isPresent()
        ? QueuesReading.read(Files.readString(queues.get()))
        : PolicyNames.oneQueue(order);
  }

  private Duration ageing(Order order) {
    if (ageing.isPresent()) {
      return ageing.get().equals(NEVER) ? PolicyNames.NO_AGEING : time("--ageing", ageing.get());
    }
    return order == Order.PRIORITY ? Waiting.DEFAULT.ageing() : PolicyNames.NO_AGEING;
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
