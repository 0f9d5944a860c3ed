package io.muster.bench.probe;

import io.muster.faults.TlsServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;

/**
 * Holds bind calls until all members of their gang have arrived, then posts all Bindings at once.
 * Safe for concurrent use.
 */
final class Bindings {

  private static final Duration LIMIT = Duration.ofSeconds(20);

  /** What one connection of the JDK's client carries at once, whatever the server. */
  private static final int IN_FLIGHT = 100;

  private final Terms terms;
  private final HttpClient http;
  private final Map<String, Member> byUid = new HashMap<>();
  private final Map<String, List<Held>> held = new HashMap<>();
  private final Set<String> complete = new HashSet<>();
  private final Semaphore inFlight = new Semaphore(IN_FLIGHT);

  Bindings(Terms terms) {
    this.terms = terms;
    this.http =
        HttpClient.newBuilder()
            .sslContext(TlsServer.at(terms.server(), terms.ca()).context())
            .build();
  }

  /** A bind call that waits. */
  private record Held(
      String namespace, String name, String uid, String node, CompletableFuture<String> answer) {}

  synchronized void know(String uid, Member member) {
    byUid.put(uid, member);
  }

  synchronized void forget() {
    byUid.clear();
    held.clear();
    complete.clear();
  }

  /** Completes with the error to answer, empty for none. */
  CompletableFuture<String> bind(String namespace, String name, String uid, String node) {
    var call = new Held(namespace, name, uid, node, new CompletableFuture<>());
    arrived(call).forEach(this::post);
    return call.answer();
  }

  private synchronized List<Held> arrived(Held call) {
    var member = byUid.get(call.uid());
    if (member == null) {
      call.answer().complete("bind came before filter");
      return List.of();
    }
    var gang = held.computeIfAbsent(member.gang(), _ -> new ArrayList<>());
    gang.add(call);
    if (gang.size() < member.min() && !complete.contains(member.gang())) {
      return List.of();
    }
    complete.add(member.gang());
    held.remove(member.gang());
    return gang;
  }

  private void post(Held call) {
    var body =
        """
        {"apiVersion":"v1","kind":"Binding","metadata":{"name":"%s","uid":"%s"},
         "target":{"apiVersion":"v1","kind":"Node","name":"%s"}}\
        """
            .formatted(call.name(), call.uid(), call.node());
    var request =
        HttpRequest.newBuilder(
                URI.create(
                    "%s/api/v1/namespaces/%s/pods/%s/binding"
                        .formatted(terms.server(), call.namespace(), call.name())))
            .timeout(LIMIT)
            .header("Authorization", "Bearer " + terms.token())
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    Thread.startVirtualThread(() -> call.answer().complete(sent(request)));
  }

  private String sent(HttpRequest request) {
    inFlight.acquireUninterruptibly();
    try {
      var response = http.send(request, BodyHandlers.ofString());
      return response.statusCode() / 100 == 2 ? "" : response.body();
    } catch (IOException e) {
      return e.toString();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return e.toString();
    } finally {
      inFlight.release();
    }
  }
}
