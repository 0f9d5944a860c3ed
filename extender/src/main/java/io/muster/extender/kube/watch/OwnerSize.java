package io.muster.extender.kube.watch;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.extender.core.bounds.Bounds;
import io.muster.extender.core.gang.TermsObject;
import java.util.Optional;

/**
 * How many pods of an owner start together, as its spec has it. Total for any spec, whatever is
 * missing in it. Stateless.
 */
public final class OwnerSize {

  private OwnerSize() {}

  /** Empty where its pods do not start together, or there is but one. */
  static Optional<Long> of(TermsObject.Kind kind, JsonNode spec) {
    return size(kind, spec).filter(size -> size > 1);
  }

  private static Optional<Long> size(TermsObject.Kind kind, JsonNode spec) {
    return switch (kind) {
      case JOB -> job(spec);
      case JOB_SET -> jobSet(spec);
      case PYTORCH_JOB -> pytorchJob(spec);
      case MPI_JOB -> mpiJob(spec);
      case RAY_CLUSTER -> rayCluster(spec);
      case LEADER_WORKER_SET -> group(spec);
      case PLUGINS_POD_GROUP,
          KOORDINATOR_POD_GROUP,
          VOLCANO_POD_GROUP,
          KAI_POD_GROUP,
          NATIVE_POD_GROUP,
          NATIVE_WORKLOAD ->
          Optional.empty();
    };
  }

  private static Optional<Long> job(JsonNode spec) {
    return spec.path("completionMode").asText().equals("Indexed")
        ? Optional.of(parallel(spec))
        : Optional.empty();
  }

  /** As many pods as a Job runs at once: no more than it needs in all. */
  private static long parallel(JsonNode job) {
    long parallelism = job.path("parallelism").asLong(1);
    return Math.min(parallelism, job.path("completions").asLong(parallelism));
  }

  /** Where some Jobs are made only after others run or have ended, waiting for all is for ever. */
  private static Optional<Long> jobSet(JsonNode spec) {
    if (spec.path("startupPolicy").path("startupPolicyOrder").asText().equals("InOrder")) {
      return Optional.empty();
    }
    long pods = 0;
    for (var replicated : spec.path("replicatedJobs")) {
      if (!replicated.path("dependsOn").isEmpty()) {
        return Optional.empty();
      }
      long each = parallel(replicated.path("template").path("spec"));
      pods = Bounds.sum(pods, product(replicated.path("replicas").asLong(1), each));
    }
    return Optional.of(pods);
  }

  private static Optional<Long> pytorchJob(JsonNode spec) {
    var stated = spec.path("runPolicy").path("schedulingPolicy").path("minAvailable");
    if (stated.isIntegralNumber()) {
      return Optional.of(stated.asLong());
    }
    var replicas = spec.path("pytorchReplicaSpecs");
    long workers = replicas(replicas.path("Worker"));
    long fewest = spec.path("elasticPolicy").path("minReplicas").asLong(workers);
    return Optional.of(
        Bounds.sum(
            Math.max(0, replicas(replicas.path("Master"))),
            Math.max(0, Math.min(workers, fewest))));
  }

  /** The workers alone: what launches them may come after they run. */
  private static Optional<Long> mpiJob(JsonNode spec) {
    long workers = replicas(spec.path("mpiReplicaSpecs").path("Worker"));
    var policy = spec.path("runPolicy").path("schedulingPolicy").path("minAvailable");
    return Optional.of(Math.min(workers, policy.asLong(workers)));
  }

  private static long replicas(JsonNode replicaSpec) {
    return replicaSpec.isMissingNode() ? 0 : replicaSpec.path("replicas").asLong(1);
  }

  /** Where workers are made only once their leader is ready, waiting for all is for ever. */
  private static Optional<Long> group(JsonNode spec) {
    return spec.path("startupPolicy").asText().equals("LeaderReady")
        ? Optional.empty()
        : Optional.of(spec.path("leaderWorkerTemplate").path("size").asLong(1));
  }

  private static long product(long one, long other) {
    return Bounds.product(Math.max(0, one), Math.max(0, other));
  }

  /** The head and the workers; with an autoscaler as few as there may be. */
  private static Optional<Long> rayCluster(JsonNode spec) {
    boolean scales = spec.path("enableInTreeAutoscaling").asBoolean();
    long pods = 1;
    for (var group : spec.path("workerGroupSpecs")) {
      var replicas = group.path("replicas");
      var fewest = group.path("minReplicas");
      long hosts = group.path("numOfHosts").asLong(1);
      long each = scales ? fewest.asLong(0) : replicas.asLong(fewest.asLong(0));
      pods = Bounds.sum(pods, product(hosts, each));
    }
    return Optional.of(pods);
  }
}
