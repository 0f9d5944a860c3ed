package io.muster.deploy.release;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The Deployment in which Muster runs, for whoever takes it away. Confined to one thread. */
record RunningDeployment(KubernetesClient client, String namespace, String name, int healthPort) {

  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(5);

  /** The longest call of the last minutes, by verb and outcome; zero if there was none. */
  private static final String LONGEST_CALL = "muster_extender_requests_seconds_max{";

  /** Why kube-scheduler would be left without an answer; empty if it asks no process of it. */
  Optional<String> asked() throws InterruptedException {
    for (var pod : pods()) {
      var address = pod.getStatus().getPodIP();
      if ("Running".equals(pod.getStatus().getPhase()) && address != null) {
        var metrics = metrics(address);
        if (metrics.isEmpty()) {
          return Optional.of(
              "pod %s does not say whether kube-scheduler asks it: port %d does not answer"
                  .formatted(pod.getMetadata().getName(), healthPort));
        }
        if (metrics.get().lines().anyMatch(RunningDeployment::isCall)) {
          return Optional.of(
              "kube-scheduler has asked pod %s within the last minutes"
                  .formatted(pod.getMetadata().getName()));
        }
      }
    }
    return Optional.empty();
  }

  private static boolean isCall(String line) {
    return line.startsWith(LONGEST_CALL)
        && Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)) > 0;
  }

  private Optional<String> metrics(String address) throws InterruptedException {
    var host = address.contains(":") ? "[" + address + "]" : address;
    try (var http = HttpClient.newBuilder().connectTimeout(ANSWER_LIMIT).build()) {
      var request =
          HttpRequest.newBuilder(URI.create("http://%s:%d/metrics".formatted(host, healthPort)))
              .timeout(ANSWER_LIMIT)
              .build();
      var answer = http.send(request, BodyHandlers.ofString());
      return Optional.of(answer.body()).filter(_ -> answer.statusCode() == 200);
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  /** Has no process of it run any more; returns at once, also if there is no such Deployment. */
  void scaleToZero() {
    try {
      client
          .apps()
          .deployments()
          .inNamespace(namespace)
          .withName(name)
          .subresource("scale")
          .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":{\"replicas\":0}}");
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
        throw e;
      }
    }
  }

  /** Whether there is such a Deployment. */
  boolean isInstalled() {
    return client.apps().deployments().inNamespace(namespace).withName(name).get() != null;
  }

  /** Whether a pod of it is there, be it one that is ending. */
  boolean isThere() {
    return !pods().isEmpty();
  }

  private List<Pod> pods() {
    return Optional.ofNullable(
            client.apps().deployments().inNamespace(namespace).withName(name).get())
        .map(found -> found.getSpec().getSelector().getMatchLabels())
        .map(labels -> client.pods().inNamespace(namespace).withLabels(labels).list().getItems())
        .orElse(List.of());
  }
}
