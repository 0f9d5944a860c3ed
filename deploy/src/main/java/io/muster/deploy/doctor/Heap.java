package io.muster.deploy.doctor;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Listable;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Whether the process that leads has enough heap for the nodes and pods that there are. Its heap is
 * what its pod is started with.
 *
 * @param leader its pod; empty if it is none
 */
record Heap(KubernetesClient client, Optional<Pod> leader) {

  /** In MB: what {@code deploy/jvm.options} gives. */
  static final long SHIPPED = 384;

  /** Fitted to what {@code deploy/bench sizes} measured of three sizes of clusters. */
  private static final long ALONE_KB = 40_000;

  private static final long NODE_KB = 20;
  private static final long POD_KB = 7;
  private static final long KB_OF_A_MB = 1_024;
  private static final long KB_OF_A_STEP = 64 * KB_OF_A_MB;

  private static final String CHECK = "heap";
  private static final String CONTAINER = "muster";
  private static final Pattern MOST = Pattern.compile("-Xmx(\\d{1,15})([kKmMgG]?)\\b");

  List<Finding> findings() {
    return List.of(judged(count(client.nodes()), count(client.pods().inAnyNamespace()), leader));
  }

  static Finding judged(long nodes, long pods, Optional<Pod> leader) {
    long wanted = wanted(nodes, pods);
    var size = "%d nodes and %d pods".formatted(nodes, pods);
    if (leader.isEmpty()) {
      return Finding.cannotTell(
          CHECK,
          "the process that leads is no pod, and its options are not known here",
          "have its JVM take at least -Xmx%dm for %s".formatted(wanted, size));
    }
    long given = given(leader.get());
    return given >= wanted
        ? Finding.ok(CHECK, "%d MB are enough for %s".formatted(given, size))
        : Finding.problem(
            CHECK,
            "the process that leads has %d MB, and %s want %d MB".formatted(given, size, wanted),
            "set jvm.heap of the chart to %dm or more, and resources as install.md says under Sizes"
                .formatted(wanted));
  }

  /**
   * In MB: what is recommended for so many, twice what stays in the heap by {@code deploy/bench
   * sizes}, in whole steps.
   */
  static long wanted(long nodes, long pods) {
    long kilobytes = ALONE_KB + nodes * NODE_KB + pods * POD_KB;
    return Math.ceilDiv(2 * kilobytes, KB_OF_A_STEP) * (KB_OF_A_STEP / KB_OF_A_MB);
  }

  /** The last option counts, as for the JVM. */
  private static long given(Pod pod) {
    var containers = pod.getSpec().getContainers();
    var text =
        containers.stream()
            .filter(one -> one.getName().equals(CONTAINER))
            .findFirst()
            .or(() -> containers.stream().findFirst())
            .stream()
            .flatMap(Heap::options)
            .toList();
    return MOST.matcher(String.join(" ", text))
        .results()
        .mapToLong(found -> megabytes(Long.parseLong(found.group(1)), found.group(2)))
        .reduce(SHIPPED, (_, last) -> last);
  }

  /** Those of the command line come after those of the environment. */
  private static Stream<String> options(Container container) {
    return Stream.of(
            container.getEnv().stream()
                .filter(one -> one.getName().equals("JDK_JAVA_OPTIONS"))
                .map(EnvVar::getValue)
                .filter(Objects::nonNull),
            container.getCommand().stream(),
            container.getArgs().stream())
        .flatMap(part -> part);
  }

  private static long megabytes(long number, String unit) {
    return switch (unit) {
      case "g", "G" -> number << 10;
      case "m", "M" -> number;
      case "k", "K" -> number >> 10;
      default -> number >> 20;
    };
  }

  /** Without reading them all. */
  private static long count(Listable<? extends KubernetesResourceList<?>> all) {
    var first = all.list(new ListOptionsBuilder().withLimit(1L).build());
    var more = first.getMetadata().getRemainingItemCount();
    return first.getItems().size() + (more == null ? 0 : more);
  }
}
