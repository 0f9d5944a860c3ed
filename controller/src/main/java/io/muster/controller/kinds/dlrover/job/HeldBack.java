package io.muster.controller.kinds.dlrover.job;

import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.muster.controller.core.state.JobState;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kinds.dlrover.api.ReplicaSpec;
import io.muster.controller.kube.Marks;
import io.muster.controller.kube.pod.PodEnds;
import io.muster.controller.port.StartAdvice.Batch;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/** A job that is suspended and has no workers, and the pods that it would have otherwise. */
public final class HeldBack {

  private HeldBack() {}

  /**
   * What would be made for it, by whomever; empty if it is not held back.
   *
   * @param workers pods of all roles but the master's
   */
  public static Optional<Supplier<List<Batch>>> pods(
      ElasticJob job, JobState state, List<Pod> workers) {
    boolean hasWorkers = workers.stream().anyMatch(pod -> !PodEnds.hasEnded(pod));
    return ElasticJobSpecMapper.isSuspended(job) && !state.phase().isEnd() && !hasWorkers
        ? Optional.of(() -> batches(job))
        : Optional.empty();
  }

  private static List<Batch> batches(ElasticJob job) {
    return job.getSpec().replicaSpecs().entrySet().stream()
        .filter(role -> !role.getKey().equals(ElasticJob.MASTER))
        .sorted(Map.Entry.comparingByKey())
        .map(role ->
            new Batch(
                pod(job, role.getValue()),
                Objects.requireNonNullElse(role.getValue().replicas(), 0)))
        .toList();
  }

  /** A pod of that role as the job's master makes it, but for what is different in each. */
  public static Pod pod(ElasticJob job, ReplicaSpec role) {
    var metadata = new ObjectMeta();
    metadata.setNamespace(job.getMetadata().getNamespace());
    metadata.setLabels(Marks.labels(role.template()));
    metadata.setAnnotations(Marks.annotations(role.template()));
    return new PodBuilder().withMetadata(metadata).withSpec(role.template().getSpec()).build();
  }
}
