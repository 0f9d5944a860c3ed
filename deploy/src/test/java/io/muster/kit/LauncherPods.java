package io.muster.kit;

import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.ExecWatch;
import io.fabric8.kubernetes.client.dsl.PodResource;
import io.muster.sandbox.Await;
import io.muster.sandbox.SandboxException;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** What a kubelet reads from and writes to the pods of launchers. Safe for concurrent use. */
final class LauncherPods {

  private static final String LAUNCHER = "test.muster.io/launcher";
  private static final String ROLE = "training-job-role";
  private static final String SCRIPT = "test.muster.io/script";
  private static final String READY = "test.muster.io/namespaces";
  private static final Duration LIMIT = Duration.ofSeconds(20);

  private final KubernetesClient client;

  LauncherPods(KubernetesClient client) {
    this.client = client;
  }

  /** Whether it is a launcher that has a node and waits to be run. */
  boolean isToStart(Pod pod) {
    var metadata = pod.getMetadata();
    boolean isLauncher =
        Objects.equals(metadata.getAnnotations().get(LAUNCHER), "true")
            || Objects.equals(metadata.getLabels().get(ROLE), "launcher");
    return isLauncher
        && !metadata.getAnnotations().containsKey(SCRIPT)
        && metadata.getDeletionTimestamp() == null
        && pod.getSpec().getNodeName() != null
        && pod.getStatus().getPhase().equals("Pending");
  }

  boolean hasEnded(Pod pod) {
    return List.of("Succeeded", "Failed").contains(pod.getStatus().getPhase());
  }

  /** Returns when exec reaches the launcher, or when it has ended already. */
  void awaitExec(Pod pod, Launcher launcher) {
    Await.until(
        "exec to reach the launcher", LIMIT, () -> !launcher.isRunning() || answersExec(pod));
  }

  /** Lets it become Running. */
  void markReady(Pod pod) {
    resource(pod)
        .edit(current -> {
          current.getMetadata().getAnnotations().put(READY, "made");
          return current;
        });
  }

  /** The container could not be made: the pod fails and says why. */
  void fail(Pod pod, String message) {
    edit(
        pod,
        status -> {
          status.setPhase("Failed");
          status.setReason("LauncherNotStarted");
          status.setMessage(message);
        });
  }

  /**
   * Shows how the launcher ended.
   *
   * @return false if the pod is not shown as Running yet, so that it is too early
   */
  boolean reportEnd(Launcher launcher) {
    var pod = Optional.ofNullable(resource(launcher.pod()).get());
    if (pod.isEmpty() || hasEnded(pod.get())) {
      return true;
    }
    if (pod.get().getStatus().getPhase().equals("Pending")) {
      return false;
    }
    edit(launcher.pod(), status -> end(status, launcher.exitCode()));
    return true;
  }

  private static void end(PodStatus status, int exitCode) {
    var now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    status.setPhase(exitCode == 0 ? "Succeeded" : "Failed");
    for (PodCondition condition : status.getConditions()) {
      if (List.of("Ready", "ContainersReady").contains(condition.getType())) {
        condition.setStatus("False");
        condition.setReason(exitCode == 0 ? "PodCompleted" : "PodFailed");
        condition.setLastTransitionTime(now);
      }
    }
    var containers = status.getContainerStatuses();
    for (int i = 0; i < containers.size(); i++) {
      containers.set(i, ended(containers.get(i), i == 0 ? exitCode : 0, now));
    }
  }

  private static ContainerStatus ended(ContainerStatus container, int exitCode, String now) {
    return new ContainerStatusBuilder(container)
        .withReady(false)
        .withStarted(false)
        .withState(
            new ContainerStateBuilder()
                .withNewTerminated()
                .withExitCode(exitCode)
                .withReason(exitCode == 0 ? "Completed" : "Error")
                .withFinishedAt(now)
                .endTerminated()
                .build())
        .build();
  }

  private boolean answersExec(Pod pod) {
    // The client must not wait for the pod to be ready: that is what depends on the answer.
    try (ExecWatch exec =
        resource(pod).withReadyWaitTimeout(0).redirectingOutput().exec("sh", "-c", ":")) {
      return Objects.equals(exec.exitCode().get(2, TimeUnit.SECONDS), 0);
    } catch (ExecutionException | TimeoutException | KubernetesClientException e) {
      // KWOK may not have seen the object yet.
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SandboxException("The wait for exec was interrupted.", e);
    }
  }

  private void edit(Pod pod, StatusEdit change) {
    Await.until(
        "the status of pod " + pod.getMetadata().getName() + " to be written",
        LIMIT,
        () -> {
          try {
            resource(pod)
                .editStatus(current -> {
                  change.apply(current.getStatus());
                  return current;
                });
            return true;
          } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
              return true;
            }
            if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
              throw e;
            }
            return false;
          }
        });
  }

  private PodResource resource(Pod pod) {
    return client
        .pods()
        .inNamespace(pod.getMetadata().getNamespace())
        .withName(pod.getMetadata().getName());
  }

  private interface StatusEdit {
    void apply(PodStatus status);
  }
}
