package io.muster.extender.kube.watch;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.extender.core.cluster.Budget;
import io.muster.extender.core.cluster.NodeTerm.Operator;
import io.muster.extender.core.cluster.NodeTerm.Requirement;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.kube.ApiFields;
import io.muster.extender.kube.convert.Constraints;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Tells PodDisruptionBudgets. Where Muster may not read them, it knows of none. Safe for concurrent
 * use.
 */
public final class BudgetFeed implements AutoCloseable {

  private final KubernetesClient client;
  private final Consumer<Event> told;
  private final Runnable listed;
  private final SideWatches watches;

  /**
   * @param listed is run once all have been told, or it is certain that they may not be read
   */
  BudgetFeed(KubernetesClient client, Consumer<Event> told, Runnable listed) {
    this.client = client;
    this.watches = new SideWatches(client);
    this.told = told;
    this.listed = listed;
  }

  /** Begins to watch; returns at once. */
  void start() {
    watches.open(
        client.policy().v1().podDisruptionBudget().inAnyNamespace(),
        found ->
            told.accept(read(found).<Event>map(Event.BudgetSeen::new).orElseGet(() -> gone(found))),
        found -> told.accept(gone(found)),
        listed);
  }

  private static Event gone(PodDisruptionBudget found) {
    return new Event.BudgetGone(found.getMetadata().getNamespace(), found.getMetadata().getName());
  }

  /** The budget; empty if it covers no pod, whatever its labels are. */
  public static Optional<Budget> read(PodDisruptionBudget found) {
    var selector = found.getSpec() == null ? null : found.getSpec().getSelector();
    if (selector == null) {
      return Optional.empty();
    }
    var allowed = found.getStatus() == null ? null : found.getStatus().getDisruptionsAllowed();
    return requirements(selector)
        .map(required ->
            new Budget(
                found.getMetadata().getNamespace(),
                found.getMetadata().getName(),
                required,
                Math.max(0, Objects.requireNonNullElse(allowed, 0))));
  }

  private static Optional<List<Requirement>> requirements(LabelSelector selector) {
    var required = new ArrayList<Requirement>();
    ApiFields.present(selector.getMatchLabels())
        .forEach((key, value) -> required.add(new Requirement(key, Operator.IN, Set.of(value))));
    for (var each : selector.getMatchExpressions()) {
      var operator = Constraints.operator(each.getOperator());
      if (operator.isEmpty()) {
        return Optional.empty();
      }
      required.add(new Requirement(each.getKey(), operator.get(), new HashSet<>(each.getValues())));
    }
    return Optional.of(required);
  }

  @Override
  public void close() {
    watches.close();
  }
}
