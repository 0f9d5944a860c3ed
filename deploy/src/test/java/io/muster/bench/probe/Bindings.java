package io.muster.bench.probe;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Holds bind calls until all members of their gang have arrived, then posts all Bindings at once.
 * Safe for concurrent use.
 */
final class Bindings {

  private final Requests requests;
  private final Map<String, Member> byUid = new HashMap<>();
  private final Map<String, List<Held>> held = new HashMap<>();
  private final Set<String> complete = new HashSet<>();

  Bindings(Requests requests) {
    this.requests = requests;
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
    var path = "/api/v1/namespaces/%s/pods/%s/binding".formatted(call.namespace(), call.name());
    Thread.startVirtualThread(() -> call.answer().complete(requests.write("POST", path, body)));
  }
}
