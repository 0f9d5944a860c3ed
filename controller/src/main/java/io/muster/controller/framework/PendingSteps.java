package io.muster.controller.framework;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.function.Function;

/**
 * What was decided to be done for a job, of which each reconcile does one step. It holds as long as
 * nobody else writes to the job: then, as after a step that fails, what is left is decided anew.
 * Confined to one reconcile at a time.
 *
 * @param <J> the kind
 */
public final class PendingSteps<J extends HasMetadata> {

  /** A write or two, which may be done again. */
  @FunctionalInterface
  public interface Step {

    /**
     * Does it.
     *
     * @return whether something is known now that nobody else will tell, so that it is worth
     *     reconciling again at once
     * @throws KubernetesClientException if the apiserver is away or at odds; to be tried again
     */
    boolean take();

    /** One that tells nothing new. */
    static Step of(Runnable write) {
      return () -> {
        write.run();
        return false;
      };
    }
  }

  /** What was seen while steps were taken started reconciles that decided nothing. */
  private static final Duration AFTER_STEPS = Duration.ofSeconds(2);

  private final String version;
  private final Queue<Step> left;
  private final Function<Boolean, UpdateControl<J>> next;
  private boolean hasBegun;
  private boolean knowsMore;

  /**
   * @param decided the job as it is stored now
   * @param next what follows once all is done, by whether something is known now
   */
  public PendingSteps(J decided, List<Step> steps, Function<Boolean, UpdateControl<J>> next) {
    this.version = decided.getMetadata().getResourceVersion();
    this.left = new ArrayDeque<>(steps);
    this.next = next;
  }

  /** Nothing is to be done for the job. */
  public static <J extends HasMetadata> PendingSteps<J> none(J job) {
    return new PendingSteps<>(job, List.of(), _ -> UpdateControl.noUpdate());
  }

  /** Whether the job is still as it was when this was decided. */
  boolean isOf(HasMetadata job) {
    return job.getMetadata().getResourceVersion().equals(version);
  }

  boolean isDone() {
    return left.isEmpty();
  }

  /** Takes the next step; there must be one. */
  PendingSteps<J> step() {
    hasBegun = true;
    knowsMore |= left.remove().take();
    return this;
  }

  /** What follows, now that all is done; after steps, a decision before long. */
  UpdateControl<J> next() {
    var control = next.apply(knowsMore);
    boolean isSoon =
        control.getScheduleDelay().filter(wait -> wait <= AFTER_STEPS.toMillis()).isPresent();
    return isSoon || !hasBegun ? control : control.rescheduleAfter(AFTER_STEPS);
  }
}
