package io.muster.extender.core.protocol;

import io.muster.extender.core.cluster.Budget;
import io.muster.extender.core.cluster.Levels;
import io.muster.extender.core.cluster.NamespaceQuota;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Enrolment;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.TermsObject;
import io.muster.extender.core.queue.Queues;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A cluster as events tell it, one after the other: what they have led to can be viewed at any
 * moment, and takes as much memory as the cluster, not as the events. Confined to one thread.
 */
public final class ClusterMirror {

  private final Rules rules;
  private final Deadlines deadlines;
  private boolean released;
  private Queues queues = Queues.NONE;
  private Levels levels = Levels.FOUND;
  private final Map<String, Enrolment> namespaces = new TreeMap<>();
  private final Map<List<String>, Budget> budgets = new HashMap<>();
  private final Map<List<String>, NamespaceQuota> quotas = new HashMap<>();
  private final Map<String, Node> nodes = new HashMap<>();
  private final Map<GangId, GangRecord> gangs = new HashMap<>();
  private final Map<TermsObject, Event.TermsSeen> terms = new HashMap<>();
  private final Map<String, Pod> pods = new HashMap<>();

  /** Nothing yet, to be decided on by these rules. */
  public ClusterMirror(Rules rules, Deadlines deadlines) {
    this.rules = rules;
    this.deadlines = deadlines;
  }

  /** Follows one event; those that are not about the cluster change nothing. */
  public void take(Event event) {
    switch (event) {
      case Event.NamespaceSeen(var name, var enrolment) -> namespaces.put(name, enrolment);
      case Event.NamespaceGone(var name) -> namespaces.remove(name);
      case Event.NodeSeen(var node) -> nodes.put(node.name(), node);
      case Event.NodeGone(var name) -> nodes.remove(name);
      case Event.TermsSeen seen -> terms.put(seen.object(), seen);
      case Event.TermsGone(var object) -> terms.remove(object);
      case Event.PodSeen(var pod) -> pods.put(pod.key().uid(), pod);
      case Event.PodGone(var pod) -> pods.remove(pod.uid());
      case Event.RecordFound(var gang, _) -> gangs.put(gang.gang(), gang);
      case Event.RecordGone(var gang) -> gangs.remove(gang);
      case Event.BudgetSeen(var budget) ->
          budgets.put(List.of(budget.namespace(), budget.name()), budget);
      case Event.BudgetGone(var namespace, var name) -> budgets.remove(List.of(namespace, name));
      case Event.NamespaceQuotaSeen(var quota) ->
          quotas.put(List.of(quota.namespace(), quota.name()), quota);
      case Event.NamespaceQuotaGone(var namespace, var name) ->
          quotas.remove(List.of(namespace, name));
      case Event.QueuesSet(var now) -> queues = now;
      case Event.LevelsSet(var now) -> levels = now;
      case Event.Released(var now) -> released = now;
      case Event.LeaseHeld _,
          Event.ClockSet _,
          Event.Ready _,
          Event.StartsEstimated _,
          Event.RecordWritten _,
          Event.RecordAhead _,
          Event.CompanionsEnsured _,
          Event.DomainsServed _,
          Event.BindingEnded _,
          Event.Idle _,
          Event.Tick _ -> {}
    }
  }

  /** Whether Muster has been told to let all pods go. */
  public boolean isReleased() {
    return released;
  }

  /** What there is now. */
  public ClusterView view(Instant takenAt) {
    return new ClusterView(
        takenAt,
        rules,
        deadlines,
        released,
        queues.configured(),
        levels,
        List.copyOf(budgets.values()),
        List.copyOf(quotas.values()),
        new TreeMap<>(namespaces),
        List.copyOf(nodes.values()),
        List.copyOf(gangs.values()),
        List.copyOf(terms.values()),
        List.copyOf(pods.values()));
  }
}
