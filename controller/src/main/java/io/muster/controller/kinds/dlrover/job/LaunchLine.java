package io.muster.controller.kinds.dlrover.job;

import io.fabric8.kubernetes.api.model.Container;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What {@code dlrover-run} is told in the workers' command, as far as that can be read: a shell may
 * put it together in any way, and numbers may come from the environment. Immutable.
 */
public record LaunchLine(String text) {

  private static final Pattern FEWEST_NODES = Pattern.compile("--nnodes[= ]\\s*\"?(\\d{1,6})\\b");
  private static final Pattern NODE_UNIT =
      Pattern.compile("--node[_-]unit[= ]\\s*\"?(\\d{1,6})\\b");

  /** Of the job's workers; empty text if they have none of their own. */
  public static LaunchLine of(ElasticJob job) {
    var containers =
        ElasticJobSpecMapper.role(job, ElasticJob.WORKER)
            .map(worker -> worker.template())
            .map(template -> template.getSpec())
            .map(spec -> spec.getContainers())
            .orElse(List.of());
    return new LaunchLine(
        containers.stream().flatMap(LaunchLine::words).collect(Collectors.joining(" ")));
  }

  private static Stream<String> words(Container container) {
    return Stream.of(container.getCommand(), container.getArgs())
        .filter(Objects::nonNull)
        .flatMap(List::stream);
  }

  /** With how many nodes training begins at least, if it says so in a number. */
  public Optional<Integer> fewestNodes() {
    return number(FEWEST_NODES);
  }

  /** Nodes take part in multiples of it. */
  public int nodeUnit() {
    return number(NODE_UNIT).filter(unit -> unit > 0).orElse(1);
  }

  private Optional<Integer> number(Pattern option) {
    var found = option.matcher(text);
    return found.find() ? Optional.of(Integer.valueOf(found.group(1))) : Optional.empty();
  }
}
