package io.muster.controller.kube;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What informers have in common that are not java-operator-sdk's. */
public final class Informers {

  private static final Duration FIRST_LIST = Duration.ofSeconds(30);

  private Informers() {}

  /**
   * Starts one and waits until it has seen all there is; closes it where that fails.
   *
   * @param what it reads
   * @throws KubernetesClientException where it cannot
   */
  public static void start(SharedIndexInformer<?> informer, String what) {
    try {
      informer.start().toCompletableFuture().get(FIRST_LIST.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      informer.close();
      throw new KubernetesClientException("the wait for %s was cut".formatted(what), e);
    } catch (ExecutionException | TimeoutException e) {
      informer.close();
      throw new KubernetesClientException(
          "%s cannot be read: %s".formatted(what, e.getMessage()), e);
    }
  }
}
