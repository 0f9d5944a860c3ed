package io.muster.controller.kinds.di.task;

import static io.muster.controller.kinds.di.job.PodBody.variable;

import io.fabric8.kubernetes.api.model.EnvVar;
import io.muster.controller.core.job.Job;
import io.muster.controller.framework.UnfitPodException;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.api.EngineFields;
import io.muster.controller.kinds.di.job.DiNames;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The pieces of a command line that copies of one template paste into theirs. */
public final class CopyArguments {

  private CopyArguments() {}

  public static void add(List<EnvVar> variables, DIJob job, int rank) {
    var fields =
        Objects.requireNonNullElse(job.getSpec().engineFields(), new EngineFields(null, null));
    int workers = Objects.requireNonNullElse(fields.parallelWorkers(), 1);
    requireBounded(workers, "spec.engineFields.parallelWorkers is %d");
    variables.add(variable("DI_JOB_GENERATION", DiNames.ONLY_GENERATION));
    variables.add(variable("DI_PARALLEL_WORKERS_ARG", "--parallel-workers=" + workers));
    variables.add(variable("DI_PORTS_ARG", "--ports=" + numbers(DiNames.PORT, workers)));
    variables.add(variable("DI_NODE_IDS_ARG", "--node-ids=" + numbers(rank * workers, workers)));
    variables.add(
        variable(
            "DI_ATTACHED_NODES_ARG",
            attached(job, Objects.requireNonNullElse(fields.topology(), "star"), rank, workers)));
  }

  /** Before anything is made of it. */
  private static void requireBounded(long count, String what) {
    if (count > Job.MOST_MEMBERS) {
      throw new UnfitPodException(
          (what + ", and %d is the most; lower spec.engineFields.parallelWorkers or the copies")
              .formatted(count, Job.MOST_MEMBERS));
    }
  }

  private static String numbers(int first, int count) {
    return IntStream.range(first, first + count)
        .mapToObj(Integer::toString)
        .collect(Collectors.joining(","));
  }

  /** Nobody is attached to by who comes later. */
  private static String attached(DIJob job, String topology, int rank, int workers) {
    int peers =
        switch (topology) {
          case "mesh" -> rank;
          case "alone" -> 0;
          default -> Math.min(rank, 1);
        };
    if (peers == 0) {
      return "";
    }
    int ports = topology.equals("mesh") ? workers : 1;
    requireBounded((long) peers * ports, "a mesh would attach one pod to %d processes");
    return IntStream.range(0, peers)
        .boxed()
        .flatMap(peer ->
            IntStream.range(0, ports).mapToObj(port -> address(job, peer, DiNames.PORT + port)))
        .collect(Collectors.joining(",", "--attach-to=", ""));
  }

  private static String address(DIJob job, int rank, int port) {
    return "tcp://%s-%d.%s:%d"
        .formatted(DiNames.pods(job, DiNames.COPY), rank, DiNames.service(job), port);
  }
}
