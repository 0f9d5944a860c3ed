package io.muster.controller.framework;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.CustomResource;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.muster.controller.api.JobStatus;
import io.muster.controller.core.state.JobState;
import io.muster.controller.kube.ClusterObjects;
import io.muster.controller.kube.Ownership;
import io.muster.controller.kube.node.LeavingNodes;
import io.muster.controller.kube.pod.KnownOperator;
import io.muster.controller.port.SizedJob;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A kind of job that the controller runs: which objects it watches, how it reads a job, and what it
 * does for one. A new kind is an implementation of this, of {@link ReconciledJob} and of the
 * records of its API. Safe for concurrent use.
 *
 * @param <J> the kind's object
 * @param <S> its status
 * @param <M> what is remembered of a job between two reconciles
 */
public abstract class JobKind<
    J extends CustomResource<?, S>, S extends JobStatus, M extends JobMemory> {

  private final Facts<J, M> facts;

  protected JobKind(Facts<J, M> facts) {
    this.facts = facts;
  }

  /**
   * Pods by which the kind watches its jobs.
   *
   * @param selector labels of the pods that are watched
   * @param job the label whose value is the name of the job
   */
  public record PodLabel(String selector, String job) {

    /** Pods that have the label. */
    public static PodLabel of(String job) {
      return new PodLabel(job, job);
    }
  }

  /**
   * Objects besides pods that concern a job.
   *
   * @param job the name of the job that one of them is for; empty if it names none
   */
  public record Watched<R extends HasMetadata>(Class<R> type, Function<R, Optional<String>> job) {}

  /**
   * What is the same for all jobs of a kind.
   *
   * @param name what it is called in the setting {@code jobKinds} and in metrics
   * @param memory makes what is remembered of a job that has not been reconciled yet
   * @param state where a job stands, as it is stored
   * @param operator the controller whose kind it was first
   */
  public record Facts<J, M>(
      String name,
      Class<J> type,
      Supplier<M> memory,
      Function<J, JobState> state,
      List<PodLabel> podLabels,
      KnownOperator operator) {

    public Facts {
      podLabels = List.copyOf(podLabels);
    }
  }

  public final Facts<J, M> facts() {
    return facts;
  }

  public final String name() {
    return facts.name();
  }

  public final Class<J> type() {
    return facts.type();
  }

  /** What users call its jobs, with the API group. */
  public final String jobs() {
    return "%ss of %s".formatted(HasMetadata.getKind(type()), HasMetadata.getGroup(type()));
  }

  /** What its reconciler is called in logs; unique among all. */
  public final String reconcilerName() {
    return type().getSimpleName().toLowerCase(Locale.ROOT) + "s";
  }

  public List<Watched<?>> watched() {
    return List.of();
  }

  /** Where its pods are to leave nodes that will go. */
  public Optional<LeavingNodes> nodes() {
    return Optional.empty();
  }

  /** Reconcilers of other objects of the kind, by their names. */
  public Map<String, Reconciler<?>> otherReconcilers() {
    return Map.of();
  }

  /** Objects of the whole cluster that are applied before the first job is reconciled. */
  public List<HasMetadata> clusterObjects() {
    return ClusterObjects.beside(getClass());
  }

  /** The job with the parts that a stored one may lack. */
  public J completed(J job) {
    return job;
  }

  /** Whether another controller has begun the job. */
  public boolean isAnothers(J job, M memory) {
    return Ownership.isAnothers(job, job.getStatus());
  }

  /** Where the job stands, as it is stored. */
  public final JobState state(J job) {
    return facts.state().apply(job);
  }

  /** Begins a reconcile of one job. */
  public abstract ReconciledJob<J, S, M> reconcile(ReconciledJob.Seen<J, M> seen);

  /** The job as the elastic loop sees it; empty if it does not run now. */
  public abstract Optional<SizedJob> sized(J job, JobWatch<J> watch);

  /** What is done every few seconds about all jobs together, besides their size. */
  public void tick(List<J> jobs, Instant now) {}
}
