package io.muster.played;

import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Set;
import java.util.stream.Collectors;
import javax.net.ssl.SSLSocket;

/** The pods of the chart as they look from outside. Immutable. */
record MusterPods(PlayedCluster cluster) {

  private static final int WEBHOOK = 9444;
  private static final int HEALTH = 9445;
  private static final Duration LIMIT = Duration.ofSeconds(10);

  /** Which certificates they show; one if all show the same. */
  Set<X509Certificate> shown() {
    return Installation.of(cluster).stream().map(MusterPods::shown).collect(Collectors.toSet());
  }

  private static X509Certificate shown(Pod pod) {
    var tls = TrustsAll.context();
    try (var socket = tls.getSocketFactory().createSocket()) {
      socket.connect(
          PodNetwork.listener(pod.getStatus().getPodIP(), WEBHOOK), (int) LIMIT.toMillis());
      socket.setSoTimeout((int) LIMIT.toMillis());
      ((SSLSocket) socket).startHandshake();
      return (X509Certificate) ((SSLSocket) socket).getSession().getPeerCertificates()[0];
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The sum of the series of that name, of all pods. */
  double counted(String metric) {
    try (var http = HttpClient.newBuilder().connectTimeout(LIMIT).build()) {
      return Installation.of(cluster).stream()
          .flatMap(pod -> metrics(http, pod).lines())
          .filter(line -> line.startsWith(metric + "{") || line.startsWith(metric + " "))
          .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
          .sum();
    }
  }

  private static String metrics(HttpClient http, Pod pod) {
    var listener = PodNetwork.listener(pod.getStatus().getPodIP(), HEALTH);
    var url = "http://%s:%d/metrics".formatted(listener.getHostString(), listener.getPort());
    try {
      return http.send(
              HttpRequest.newBuilder(URI.create(url)).timeout(LIMIT).build(),
              BodyHandlers.ofString())
          .body();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  /** Every pod of Muster's namespace by its uid, with how often its container was restarted. */
  Set<String> lives() {
    return cluster.client().pods().inNamespace(Installation.NAMESPACE).list().getItems().stream()
        .filter(pod -> !"Succeeded".equals(pod.getStatus().getPhase()))
        .map(pod ->
            "%s %s %d"
                .formatted(
                    pod.getMetadata().getName(),
                    pod.getMetadata().getUid(),
                    pod.getStatus().getContainerStatuses().getFirst().getRestartCount()))
        .collect(Collectors.toSet());
  }
}
