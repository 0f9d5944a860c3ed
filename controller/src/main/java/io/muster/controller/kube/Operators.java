package io.muster.controller.kube;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.processing.retry.GenericRetry;
import java.time.Duration;
import java.util.concurrent.ExecutorService;

/** How the operator framework is set up for every kind. */
public final class Operators {

  private static final int FIRST_RETRY_MILLIS = 500;
  private static final int LONGEST_RETRY_MILLIS = 30_000;
  private static final double RETRY_FACTOR = 1.5;
  private static final Duration LAST_RECONCILE = Duration.ofSeconds(5);

  private Operators() {}

  /**
   * One that leaves the client open and writes nothing by itself.
   *
   * @param executor runs a reconcile each
   */
  public static Operator operator(KubernetesClient client, ExecutorService executor) {
    return new Operator(overrider ->
        overrider
            .withKubernetesClient(client)
            .withCloseClientOnStop(false)
            .withExecutorService(executor)
            .withStopOnInformerErrorDuringStartup(false)
            .withReconciliationTerminationTimeout(LAST_RECONCILE)
            .withUseSSAToPatchPrimaryResource(false));
  }

  /** For faults that nobody expects: without end, half a minute apart at most. */
  public static GenericRetry retry() {
    return new GenericRetry()
        .setInitialInterval(FIRST_RETRY_MILLIS)
        .setIntervalMultiplier(RETRY_FACTOR)
        .setMaxInterval(LONGEST_RETRY_MILLIS)
        .withoutMaxAttempts();
  }
}
