package io.muster.simulator.world;

import io.muster.simulator.world.cluster.RunningJob;
import java.time.Duration;
import java.util.List;

/**
 * A gang has started. Immutable.
 *
 * @param job its id
 * @param at since the beginning of the trace
 * @param nodes of its pods, in order, each as often as it has one of them
 */
public record JobStart(String job, Duration at, List<String> nodes) {

  public JobStart {
    nodes = List.copyOf(nodes);
  }

  static JobStart of(RunningJob running, long now) {
    return new JobStart(
        running.job.id(),
        Duration.ofMillis(now),
        running.pods.values().stream()
            .flatMap(pod -> pod.progress().nodeName().stream())
            .sorted()
            .toList());
  }
}
