package io.muster.extender.core.plan.diagnosis;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.cluster.Taint;
import io.muster.extender.core.gang.Counted;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** What can be read off the nodes themselves where a request has no place, in words. Stateless. */
public final class Clues {

  /** Why devices are not counted, in one sentence. */
  private static final int MOST_REASONS = 3;

  private Clues() {}

  /** Why devices that are asked for cannot be counted there; empty if all can. */
  public static Optional<String> uncounted(List<Node> nodes, Resources asked) {
    var why = new TreeSet<String>();
    int count = 0;
    for (var node : nodes) {
      var known = node.uncounted();
      if (known.isEmpty()) {
        continue;
      }
      var ofThis = asked.extended().keySet().stream().filter(known::containsKey).toList();
      ofThis.forEach(name -> why.add(known.get(name)));
      count += ofThis.isEmpty() ? 0 : 1;
    }
    return count == 0
        ? Optional.empty()
        : Optional.of(
            "devices of %s cannot be counted: %s".formatted(Counted.of(count, "node"), few(why)));
  }

  private static String few(Set<String> reasons) {
    var first = reasons.stream().limit(MOST_REASONS).collect(Collectors.joining(", "));
    int more = reasons.size() - MOST_REASONS;
    return more > 0 ? "%s and %d more".formatted(first, more) : first;
  }

  /** The keys of the taints that keep such a member from these nodes. */
  public static Set<String> taints(Collection<Node> nodes, Demand demand) {
    return nodes.stream()
        .flatMap(node -> node.taints().stream())
        .filter(taint -> taint.effect().forbidsPlacement() && !taint.isOfPassingState())
        .filter(taint -> demand.tolerations().stream().noneMatch(t -> t.covers(taint)))
        .map(Taint::key)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /**
   * Why none of these nodes could ever hold such a member, wherever it may go: of what it asks for
   * more than any has. Empty if one could.
   */
  public static Optional<String> beyondAll(List<Node> nodes, Demand demand) {
    var asked = demand.requests();
    var names = names(asked);
    if (nodes.stream().anyMatch(node -> offers(node, asked, names))) {
      return Optional.empty();
    }
    var beyond = new ArrayList<String>();
    for (var name : names) {
      long most = nodes.stream().mapToLong(node -> node.allocatable().amount(name)).max().orElse(0);
      if (most < asked.amount(name)) {
        beyond.add(
            most == 0
                ? "no node has any " + name
                : "the most that a node has is " + amount(name, most));
      }
    }
    return Optional.of(
        "(%s): %s"
            .formatted(
                asked.shown(),
                beyond.isEmpty() ? "no node has all of that" : String.join(", ", beyond)));
  }

  private static boolean offers(Node node, Resources asked, List<String> names) {
    return node.podLimit() > 0
        && names.stream().allMatch(name -> node.allocatable().amount(name) >= asked.amount(name));
  }

  /** The states of these nodes that keep members away for now, the most frequent first. */
  public static String states(Collection<Node> nodes, Set<String> excluded) {
    var counts = new TreeMap<String, Integer>();
    for (var node : nodes) {
      counts.merge(state(node, excluded), 1, Integer::sum);
    }
    return counts.entrySet().stream()
        .sorted(Map.Entry.<String, Integer>comparingByValue().reversed())
        .map(Map.Entry::getKey)
        .collect(Collectors.joining(" or "));
  }

  private static String state(Node node, Set<String> excluded) {
    return switch (node.availability()) {
      case CORDONED -> "cordoned";
      case LEAVING -> "leaving";
      case NOT_READY -> "not ready";
      case READY ->
          node.taints().stream()
              .filter(taint -> taint.isOfPassingState() && !excluded.contains(node.name()))
              .map(taint -> "tainted " + taint.key() + " for now")
              .findFirst()
              .orElse("set aside since an attempt failed there a moment ago");
    };
  }

  /** The amounts of which anything is asked for: devices and the like by name, then the others. */
  public static List<String> names(Resources asked) {
    var names = new ArrayList<>(new TreeSet<>(asked.extended().keySet()));
    names.add("cpu");
    names.add("memory");
    names.removeIf(name -> asked.amount(name) == 0);
    return names;
  }

  /** {@code nvidia.com/gpu 8 each}: what these ask for. */
  public static String shapes(List<Demand> members) {
    var shapes = members.stream().map(demand -> demand.requests().shown()).distinct().toList();
    return shapes.getFirst()
        + (shapes.size() > 1 ? ", and others" : members.size() == 1 ? "" : " each");
  }

  /** {@code 8 nvidia.com/gpu}, or {@code cpu 8}. */
  public static String amount(String name, long units) {
    if (units == 0) {
      return isCounted(name) ? "0 " + name : name + " 0";
    }
    return switch (name) {
      case "cpu" -> new Resources(units, 0, Map.of()).shown();
      case "memory" -> new Resources(0, units, Map.of()).shown();
      default -> units + " " + name;
    };
  }

  /** The same without a name that was said just before. */
  public static String plain(String name, long units) {
    return isCounted(name) ? Long.toString(units) : amount(name, units);
  }

  private static boolean isCounted(String name) {
    return !name.equals("cpu") && !name.equals("memory");
  }
}
