package io.muster.played;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.Probe;
import io.muster.sandbox.SandboxException;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * The HTTP probes of one container, asked as a kubelet asks them: no other before the startup probe
 * has succeeded once. Confined to the thread of its pod.
 */
final class Probes implements AutoCloseable {

  private final Container container;
  private final String address;
  private final HttpClient http;
  private final Count startup;
  private final Count liveness;
  private final Count readiness;

  /**
   * @param address at which the pod says that it is
   */
  Probes(Container container, String address) {
    this.container = container;
    this.address = address;
    this.http =
        HttpClient.newBuilder()
            .connectTimeout(Duration.ofSeconds(1))
            .sslContext(TrustsAll.context())
            .build();
    startup = new Count(container.getStartupProbe());
    liveness = new Count(container.getLivenessProbe());
    readiness = new Count(container.getReadinessProbe());
  }

  /** One container has started, again perhaps. */
  void restart(long nanos) {
    startup.restart(nanos);
    liveness.restart(nanos);
    readiness.restart(nanos);
  }

  /** Asks those that are due. */
  void ask(long nanos) {
    startup.ask(nanos);
    if (isStarted()) {
      liveness.ask(nanos);
      readiness.ask(nanos);
    }
  }

  boolean isStarted() {
    return startup.hasSucceeded();
  }

  boolean isReady() {
    return isStarted() && readiness.hasSucceeded();
  }

  /** Whether the container is to be started anew. */
  boolean hasFailed() {
    return startup.hasFailed() || liveness.hasFailed();
  }

  /** One probe, which may be none at all. */
  private final class Count {

    private final Optional<Probe> probe;
    private long due;
    private int failures;
    private boolean isGood;

    Count(Probe probe) {
      this.probe = Optional.ofNullable(probe);
    }

    void restart(long nanos) {
      failures = 0;
      isGood = false;
      due = nanos + probe.map(asked -> seconds(asked.getInitialDelaySeconds(), 0)).orElse(0L);
    }

    void ask(long nanos) {
      if (probe.isEmpty() || nanos - due < 0 || (this == startup && isGood)) {
        return;
      }
      due = nanos + seconds(probe.get().getPeriodSeconds(), 10);
      if (answers(probe.get())) {
        failures = 0;
        isGood = true;
      } else {
        failures++;
        isGood &= failures < Objects.requireNonNullElse(probe.get().getFailureThreshold(), 3);
      }
    }

    boolean hasSucceeded() {
      return probe.isEmpty() || isGood;
    }

    boolean hasFailed() {
      return probe
          .filter(asked -> failures >= Objects.requireNonNullElse(asked.getFailureThreshold(), 3))
          .isPresent();
    }
  }

  private static long seconds(Integer value, int otherwise) {
    return Duration.ofSeconds(Objects.requireNonNullElse(value, otherwise)).toNanos();
  }

  private boolean answers(Probe probe) {
    var get = probe.getHttpGet();
    if (get == null) {
      throw new SandboxException("a probe of " + container.getName() + " is not played");
    }
    int port =
        get.getPort().getIntVal() != null
            ? get.getPort().getIntVal()
            : container.getPorts().stream()
                .filter(open -> open.getName().equals(get.getPort().getStrVal()))
                .map(ContainerPort::getContainerPort)
                .findFirst()
                .orElseThrow(() -> new SandboxException("no port " + get.getPort().getStrVal()));
    var request =
        HttpRequest.newBuilder(
                URI.create(
                    "%s://%s:%d%s"
                        .formatted(
                            Objects.requireNonNullElse(get.getScheme(), "HTTP")
                                .toLowerCase(Locale.ROOT),
                            PodNetwork.local(address),
                            port,
                            get.getPath())))
            .timeout(Duration.ofSeconds(Objects.requireNonNullElse(probe.getTimeoutSeconds(), 1)))
            .build();
    try {
      int code = http.send(request, BodyHandlers.discarding()).statusCode();
      return code >= 200 && code < 400;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
