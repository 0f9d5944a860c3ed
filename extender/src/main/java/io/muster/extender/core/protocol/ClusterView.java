package io.muster.extender.core.protocol;

import io.muster.extender.core.cluster.Budget;
import io.muster.extender.core.cluster.Levels;
import io.muster.extender.core.cluster.NamespaceQuota;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Enrolment;
import io.muster.extender.core.queue.Queue;
import io.muster.extender.core.queue.Queues;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * A cluster at one moment, as decisions see it, and the rules that they go by: told to a fresh
 * {@link GangProtocol} it leads to the same decisions wherever that is. What a running Muster keeps
 * in its memory alone is not in it: who holds a reservation without a record, and who was held off.
 * All lists are in one order. Immutable.
 */
public record ClusterView(
    Instant takenAt,
    Rules rules,
    Deadlines deadlines,
    boolean released,
    List<Queue> queues,
    Levels levels,
    List<Budget> budgets,
    List<NamespaceQuota> namespaceQuotas,
    SortedMap<String, Enrolment> namespaces,
    List<Node> nodes,
    List<GangRecord> gangs,
    List<Event.TermsSeen> terms,
    List<Pod> pods) {

  private static final Comparator<Pod> BY_NAME =
      Comparator.comparing((Pod pod) -> pod.key().namespace())
          .thenComparing(pod -> pod.key().name())
          .thenComparing(pod -> pod.key().uid());

  public ClusterView {
    queues = queues.stream().sorted(Comparator.comparing(Queue::name)).toList();
    budgets =
        budgets.stream()
            .sorted(Comparator.comparing(Budget::namespace).thenComparing(Budget::name))
            .toList();
    namespaceQuotas =
        namespaceQuotas.stream()
            .sorted(
                Comparator.comparing(NamespaceQuota::namespace).thenComparing(NamespaceQuota::name))
            .toList();
    namespaces = Collections.unmodifiableSortedMap(new TreeMap<>(namespaces));
    nodes = nodes.stream().sorted(Comparator.comparing(Node::name)).toList();
    gangs = gangs.stream().sorted(Comparator.comparing(GangRecord::gang)).toList();
    terms = terms.stream().sorted(Comparator.comparing(seen -> seen.object().toString())).toList();
    pods = pods.stream().sorted(BY_NAME).toList();
  }

  /** What these events have led to. */
  public static ClusterView of(
      Instant takenAt, Rules rules, Deadlines deadlines, List<Event> events) {
    var mirror = new ClusterMirror(rules, deadlines);
    events.forEach(mirror::take);
    return mirror.view(takenAt);
  }

  /** The same as events, in the order in which they are told at a start. */
  public List<Event> events() {
    var events = new ArrayList<Event>();
    events.add(new Event.QueuesSet(new Queues(queues)));
    events.add(new Event.LevelsSet(levels));
    budgets.forEach(budget -> events.add(new Event.BudgetSeen(budget)));
    namespaceQuotas.forEach(quota -> events.add(new Event.NamespaceQuotaSeen(quota)));
    for (Map.Entry<String, Enrolment> namespace : namespaces.entrySet()) {
      events.add(new Event.NamespaceSeen(namespace.getKey(), namespace.getValue()));
    }
    events.add(new Event.Released(released));
    nodes.forEach(node -> events.add(new Event.NodeSeen(node)));
    gangs.forEach(gang -> events.add(new Event.RecordFound(gang)));
    events.addAll(terms);
    pods.forEach(pod -> events.add(new Event.PodSeen(pod)));
    return events;
  }
}
