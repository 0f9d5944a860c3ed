package io.muster.jobs;

import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A coordinator's first call as DI-engine makes it, through the Service: each try goes to any of
 * its ready endpoints. A lost connection is tried five times in all, a second apart; an answer
 * without success again after two seconds, for two minutes; whoever has used that up is lost.
 */
final class DiCoordinatorClient implements Callable<DiCalls.Answer> {

  private static final int TRIES = 5;
  private static final Duration BETWEEN_TRIES = Duration.ofSeconds(1);
  private static final Duration BETWEEN_CALLS = Duration.ofSeconds(2);
  private static final Duration WITHOUT_SUCCESS = Duration.ofMinutes(2);
  private static final Duration LIMIT = Duration.ofMinutes(4);

  private final KubernetesClient cluster;
  private final String body;
  private int lostInARow;

  DiCoordinatorClient(KubernetesClient cluster, String body) {
    this.cluster = cluster;
    this.body = body;
  }

  /** An address of this machine that Kubernetes takes for an endpoint, which no loopback is. */
  static String addressOfThisMachine() {
    try {
      return NetworkInterface.networkInterfaces()
          .flatMap(network -> network.getInterfaceAddresses().stream())
          .map(InterfaceAddress::getAddress)
          .filter(address -> address.getAddress().length == 4)
          .filter(address -> !address.isLoopbackAddress() && !address.isLinkLocalAddress())
          .map(InetAddress::getHostAddress)
          .findFirst()
          .orElseThrow(() ->
              new IllegalStateException(
                  "this machine has no IPv4 address but loopback; give it one"));
    } catch (SocketException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Where di-server leads now. */
  static List<String> endpoints(KubernetesClient cluster) {
    return cluster
        .discovery()
        .v1()
        .endpointSlices()
        .inNamespace("di-system")
        .withLabel("kubernetes.io/service-name", "di-server")
        .list()
        .getItems()
        .stream()
        .filter(slice -> slice.getEndpoints().getFirst().getConditions().getReady())
        .map(DiCoordinatorClient::url)
        .toList();
  }

  private static String url(EndpointSlice slice) {
    return "http://%s:%d"
        .formatted(
            slice.getEndpoints().getFirst().getAddresses().getFirst(),
            slice.getPorts().getFirst().getPort());
  }

  @Override
  public DiCalls.Answer call() throws InterruptedException {
    long refusedSince = 0;
    while (true) {
      try {
        var answer = ask();
        lostInARow = 0;
        if (answer.isSuccess() || answer.status() != 200) {
          return answer;
        }
        refusedSince = refusedSince == 0 ? System.nanoTime() : refusedSince;
        if (System.nanoTime() - refusedSince > WITHOUT_SUCCESS.toNanos()) {
          return answer;
        }
        Thread.sleep(BETWEEN_CALLS);
      } catch (IOException e) {
        lostInARow++;
        if (lostInARow == TRIES) {
          throw new IllegalStateException("the connection was lost five times in a row", e);
        }
        Thread.sleep(BETWEEN_TRIES);
      }
    }
  }

  private DiCalls.Answer ask() throws IOException, InterruptedException {
    var urls = endpoints(cluster);
    if (urls.isEmpty()) {
      throw new IOException("nobody serves");
    }
    var url = urls.get(ThreadLocalRandom.current().nextInt(urls.size()));
    try (var calls = new DiCalls(url)) {
      return calls
          .begin("POST", "/v1alpha1/replicas", body)
          .get(LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    } catch (TimeoutException e) {
      throw new IllegalStateException("no answer within " + LIMIT, e);
    }
  }
}
