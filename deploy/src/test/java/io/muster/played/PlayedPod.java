package io.muster.played;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.PodResource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * The life of one pod on a played node, on a thread of its own: volumes, init containers one after
 * the other, then its container, which is probed and restarted; status is reported as it changes. A
 * pod of several containers is not played.
 */
final class PlayedPod {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration STEP = Duration.ofMillis(100);
  private static final Duration BACK_OFF = Duration.ofSeconds(1);
  private static final Duration REFRESH = Duration.ofSeconds(1);
  private static final Duration END_LIMIT = Duration.ofSeconds(30);

  private final PlayedCluster cluster;
  private final Pod pod;
  private final String address;
  private final PodVolumes volumes;
  private final Instant since = Instant.now();
  private final Thread thread;
  private volatile Optional<Duration> grace = Optional.empty();
  private volatile Optional<PlayedContainer> running = Optional.empty();
  private volatile boolean isOpen = true;
  private int restarts;
  private String reported = "";

  PlayedPod(PlayedCluster cluster, Pod pod, String address) {
    this.cluster = cluster;
    this.pod = pod;
    this.address = address;
    var metadata = pod.getMetadata();
    this.thread =
        Thread.ofPlatform().daemon().name("pod-" + metadata.getName()).unstarted(this::run);
    this.volumes =
        new PodVolumes(
            cluster.client(),
            pod,
            cluster.sandbox().state().file("volumes").resolve(metadata.getUid()),
            path -> cluster.host(pod.getSpec().getNodeName(), path));
    if (pod.getSpec().getContainers().size() != 1) {
      throw new IllegalArgumentException(metadata.getName() + " has not exactly one container");
    }
  }

  /** Its container, once it has begun. */
  Optional<PlayedContainer> container() {
    return running;
  }

  /** Somebody has deleted it. */
  void end(Duration period) {
    grace = Optional.of(period);
  }

  /** Nobody plays it any more; its process ends at once. */
  void abandon() {
    isOpen = false;
  }

  /** Waits for the end of one that was abandoned. */
  void awaitEnd() {
    try {
      thread.join(END_LIMIT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  void start() {
    thread.start();
  }

  private void run() {
    try {
      var folders = awaitVolumes();
      if (folders.isPresent() && initialised(folders.get())) {
        live(folders.get());
      }
      if (grace.isPresent()) {
        resource().withGracePeriod(0).delete();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      running.ifPresent(PlayedContainer::kill);
    }
  }

  private boolean goesOn() {
    return isOpen && grace.isEmpty();
  }

  private Optional<Map<String, Path>> awaitVolumes() throws IOException {
    while (goesOn()) {
      switch (volumes.write()) {
        case PodVolumes.Written(var folders) -> {
          return Optional.of(folders);
        }
        case PodVolumes.Missing(var sentence) ->
            report("Pending", waiting("ContainerCreating", sentence), false, false);
      }
      LockSupport.parkNanos(STEP.toNanos() * 3);
    }
    return Optional.empty();
  }

  private boolean initialised(Map<String, Path> folders) {
    for (Container init : pod.getSpec().getInitContainers()) {
      while (true) {
        var container = started(init, folders);
        while (container.isAlive() && goesOn()) {
          LockSupport.parkNanos(STEP.toNanos());
        }
        if (!goesOn()) {
          return false;
        }
        if (container.exitCode().orElse(1) == 0) {
          break;
        }
        LockSupport.parkNanos(BACK_OFF.toNanos());
      }
    }
    return true;
  }

  private PlayedContainer started(Container spec, Map<String, Path> folders) {
    var container =
        new PlayedContainer(
            cluster.sandbox(),
            pod,
            spec,
            cluster.image(spec.getImage()),
            address,
            cluster.environment(pod, spec, address));
    running = Optional.of(container);
    container.start(folders, cluster.services().hosts());
    return container;
  }

  private void live(Map<String, Path> folders) throws IOException {
    var container = started(pod.getSpec().getContainers().getFirst(), folders);
    try (var probes = new Probes(container.spec(), address)) {
      live(container, probes, folders);
    }
  }

  private void live(PlayedContainer container, Probes probes, Map<String, Path> folders)
      throws IOException {
    probes.restart(System.nanoTime());
    long refresh = System.nanoTime();
    while (isOpen) {
      if (grace.isPresent()) {
        // Endpoints learn of it while it still answers, as with a kubelet.
        container.terminate(grace.get());
        return;
      }
      long now = System.nanoTime();
      if (!container.isAlive()) {
        int code = container.exitCode().orElse(137);
        if (isOver(code)) {
          report(code == 0 ? "Succeeded" : "Failed", ended(code), false, false);
          awaitDeletion();
          return;
        }
        report("Running", waiting("CrashLoopBackOff", "it has ended"), false, false);
        LockSupport.parkNanos(BACK_OFF.toNanos());
        restart(container, probes, folders);
      } else {
        probes.ask(now);
        if (probes.hasFailed()) {
          container.terminate(period());
        } else {
          report("Running", RUNNING, probes.isStarted(), probes.isReady());
        }
      }
      if (now - refresh > REFRESH.toNanos()) {
        refresh = now;
        volumes.write();
      }
      LockSupport.parkNanos(STEP.toNanos());
    }
  }

  private void restart(PlayedContainer container, Probes probes, Map<String, Path> folders) {
    if (goesOn()) {
      restarts++;
      container.start(folders, cluster.services().hosts());
      probes.restart(System.nanoTime());
    }
  }

  private boolean isOver(int code) {
    return switch (pod.getSpec().getRestartPolicy()) {
      case "Never" -> true;
      case "OnFailure" -> code == 0;
      default -> false;
    };
  }

  private void awaitDeletion() {
    while (goesOn()) {
      LockSupport.parkNanos(STEP.toNanos());
    }
  }

  private Duration period() {
    return Duration.ofSeconds(pod.getSpec().getTerminationGracePeriodSeconds());
  }

  private static final Map<String, Object> RUNNING = Map.of("running", Map.of());

  private static Map<String, Object> waiting(String reason, String message) {
    return Map.of("waiting", Map.of("reason", reason, "message", message));
  }

  private static Map<String, Object> ended(int code) {
    return Map.of(
        "terminated", Map.of("exitCode", code, "reason", code == 0 ? "Completed" : "Error"));
  }

  private void report(String phase, Map<String, Object> state, boolean isStarted, boolean isReady) {
    var container = pod.getSpec().getContainers().getFirst();
    var one = new LinkedHashMap<String, Object>();
    one.put("name", container.getName());
    one.put("image", container.getImage());
    one.put("imageID", "");
    one.put("ready", isReady);
    one.put("started", isStarted);
    one.put("restartCount", restarts);
    one.put("state", state);
    var status = new LinkedHashMap<String, Object>();
    status.put("phase", phase);
    status.put("hostIP", PlayedKubelet.HOST);
    status.put("podIP", address);
    status.put("podIPs", List.of(Map.of("ip", address)));
    status.put("startTime", since.truncatedTo(ChronoUnit.SECONDS).toString());
    var conditions = new ArrayList<Map<String, String>>();
    for (String type : List.of("PodScheduled", "Initialized", "ContainersReady", "Ready")) {
      boolean isTrue = isReady || !type.endsWith("Ready");
      conditions.add(
          Map.of(
              "type",
              type,
              "status",
              isTrue ? "True" : "False",
              "lastTransitionTime",
              Instant.now().truncatedTo(ChronoUnit.SECONDS).toString()));
    }
    status.put("containerStatuses", List.of(one));
    var essence = status.toString() + isReady;
    if (essence.equals(reported)) {
      return;
    }
    status.put("conditions", conditions);
    try {
      resource()
          .subresource("status")
          .patch(
              PatchContext.of(PatchType.JSON_MERGE),
              JSON.writeValueAsString(Map.of("status", status)));
      reported = essence;
    } catch (KubernetesClientException e) {
      // Gone, or the API server is away: with the next step.
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private PodResource resource() {
    return cluster
        .client()
        .pods()
        .inNamespace(pod.getMetadata().getNamespace())
        .withName(pod.getMetadata().getName());
  }
}
