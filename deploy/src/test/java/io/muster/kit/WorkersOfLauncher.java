package io.muster.kit;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.ExecWatch;
import io.muster.sandbox.Await;
import io.muster.sandbox.SandboxException;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The workers in which a launcher runs commands by exec: what it runs in any of them runs beside
 * the launcher. One such launcher in a namespace. Immutable.
 */
record WorkersOfLauncher(KubernetesClient client, Pod launcher) {

  private static final Duration LIMIT = Duration.ofSeconds(20);

  /** Lets exec reach them, also those to come; to be called before the launcher's first process. */
  void reachBySh(Path folder, List<String> enterFlags) {
    KwokObjects.reachOthersBySh(client, launcher, folder, enterFlags);
    client
        .pods()
        .inNamespace(launcher.getMetadata().getNamespace())
        .withLabel("training-job-role", "worker")
        .list()
        .getItems()
        .stream()
        .findFirst()
        .ifPresent(worker -> Await.until("exec to reach workers", LIMIT, () -> isReached(worker)));
  }

  /** There is nothing to enter yet, and that is what the answer says. */
  private boolean isReached(Pod worker) {
    var errors = new ByteArrayOutputStream();
    try (ExecWatch exec =
        client
            .pods()
            .inNamespace(worker.getMetadata().getNamespace())
            .withName(worker.getMetadata().getName())
            .writingError(errors)
            .exec("sh", "-c", ":")) {
      exec.exitCode().get(2, TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException | KubernetesClientException e) {
      // KWOK may not have seen the object yet.
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SandboxException("The wait for exec was interrupted.", e);
    }
    return errors.toString(StandardCharsets.UTF_8).contains("the container has ended");
  }
}
