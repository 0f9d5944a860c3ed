package io.muster.bench;

import io.muster.sandbox.NodeShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Deals whole gangs by itself and sends their Bindings: gangs in the order in which their first
 * members are created, the first that is complete and fits goes next. Safe for concurrent use.
 */
final class Oracle {

  private final Arena arena;
  private final ExecutorService binders = Executors.newVirtualThreadPerTaskExecutor();
  private final int[] free = new int[Contention.NODES];
  private final Set<Gang> waiting = new LinkedHashSet<>();
  private final Map<Gang, Integer> created = new HashMap<>();
  private final Map<Gang, List<Integer>> placed = new HashMap<>();

  Oracle(Arena arena, Work work) {
    this.arena = arena;
    Arrays.fill(free, NodeShape.GPU8.gpus());
    work.order().forEach(member -> waiting.add(member.gang()));
  }

  /** A pod is there; the last of its gang lets the gang go. */
  synchronized void created(Gang.Member member) {
    if (created.merge(member.gang(), 1, Integer::sum) == member.gang().members()) {
      deal();
    }
  }

  /** A gang's pods are gone and its room is free. */
  synchronized void ended(Gang gang) {
    placed.remove(gang).forEach(node -> free[node] += gang.gpus());
    deal();
  }

  void end() {
    binders.shutdownNow();
  }

  private void deal() {
    for (var gang : new ArrayList<>(waiting)) {
      var places =
          created.getOrDefault(gang, 0) == gang.members() ? places(gang) : List.<Integer>of();
      if (!places.isEmpty()) {
        places.forEach(node -> free[node] -= gang.gpus());
        waiting.remove(gang);
        placed.put(gang, places);
        binders.execute(() -> bind(gang, places));
      }
    }
  }

  /** A node for each member, fullest nodes first; none if they do not all fit. */
  private List<Integer> places(Gang gang) {
    var order = new ArrayList<Integer>();
    for (int node = 0; node < free.length; node++) {
      order.add(node);
    }
    order.sort((a, b) -> Integer.compare(free[a], free[b]));
    var places = new ArrayList<Integer>();
    for (int node : order) {
      places.addAll(Collections.nCopies(free[node] / gang.gpus(), node));
      if (places.size() >= gang.members()) {
        return List.copyOf(places.subList(0, gang.members()));
      }
    }
    return List.of();
  }

  private void bind(Gang gang, List<Integer> places) {
    Crowd.each(
        gang.all(),
        member ->
            arena
                .api()
                .post(
                    Manifests.PODS + "/" + member.name() + "/binding",
                    Manifests.binding(
                        member.name(), Arena.NODE_PREFIX + "-" + places.get(member.index())))
                .orFail("a Binding"));
  }
}
