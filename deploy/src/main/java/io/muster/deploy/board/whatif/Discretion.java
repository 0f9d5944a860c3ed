package io.muster.deploy.board.whatif;

import io.muster.deploy.board.access.Access;
import io.muster.deploy.view.Fitting.Asked;
import io.muster.deploy.view.Fitting.Fit;
import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Levels;
import io.muster.extender.core.cluster.NodeTerm;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.Toleration;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.NvlinkDomain;
import io.muster.extender.core.gang.Topology;
import io.muster.extender.core.protocol.ClusterView;
import io.muster.extender.core.protocol.query.Forecast;
import io.muster.extender.core.protocol.query.Prospect;
import io.muster.extender.core.queue.Queue;
import io.muster.extender.core.queue.Queues;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a viewer may ask about a cluster, and be told. Immutable. */
final class Discretion {

  private static final int VERSION = 1;

  /** Labels whose values Kubernetes gives, and that manifests have who run on mixed nodes. */
  private static final Set<String> SAID_OF_ALL = Set.of("kubernetes.io/os", "kubernetes.io/arch");

  private static final String OF_KUBERNETES = "node.kubernetes.io/";

  private final Access access;
  private final Queues queues;
  private final Levels levels;
  private final Set<String> seenQueues;

  Discretion(Access access, ClusterView view) {
    this.access = access;
    this.queues = new Queues(view.queues());
    this.levels = view.levels().among(view.nodes());
    this.seenQueues =
        access.queues()
            ? queues.all().stream().map(Queue::name).collect(Collectors.toUnmodifiableSet())
            : seen(view);
  }

  /** Those that gangs are in which may be seen, or would be if they named none. */
  private Set<String> seen(ClusterView view) {
    var seen = new TreeSet<String>();
    access.namespaces().forEach(name -> seen.add(queues.nameFor(name, Optional.empty())));
    for (var pod : view.pods()) {
      var namespace = pod.key().namespace();
      if (access.sees(namespace) && pod.membership().or(pod::observed).isPresent()) {
        seen.add(queues.nameFor(namespace, stated(pod)));
      }
    }
    return seen;
  }

  private static Optional<String> stated(Pod pod) {
    return pod.wishes().hints().queue();
  }

  /** Why the viewer may not ask about these pods; empty if they may. */
  Optional<String> objection(Asked.Pods pods) {
    return pods.lots().stream()
        .map(Prospect.Lot::pod)
        .flatMap(pod -> objection(pod).stream())
        .findFirst();
  }

  private Optional<String> objection(Pod pod) {
    var namespace = pod.key().namespace();
    if (!access.nodes() && isGuess(pod)) {
      return Optional.of(
          "names, labels and taints of nodes are not shown to you: leave nodeName, selectors and"
              + " affinity out, and tolerations that are not for a device of the pod, name levels of"
              + " the network by their names, or ask for the right to list nodes");
    }
    if (!access.sees(namespace)) {
      return Optional.of(
          "gangs of namespace %s are not shown to you: ask about another, or for the right to list"
                  .formatted(Fields.shown(namespace))
              + " gangs.muster.io in it");
    }
    return stated(pod)
        .filter(queue -> !access.queues() && !isSeen(queue, namespace))
        .map(queue ->
            "queue %s is not shown to you: ask about one that your gangs are in, or about none"
                .formatted(Fields.shown(queue)));
  }

  /** Whoever may ask about what nodes have can find out what there is. */
  private boolean isGuess(Pod pod) {
    return pod.isBound()
        || isGuess(pod.demand())
        || pod.later().filter(Discretion::isGuess).isPresent()
        || pod.membership().map(Membership::topology).filter(this::isGuess).isPresent();
  }

  private static boolean isGuess(Demand demand) {
    return !SAID_OF_ALL.containsAll(demand.nodeSelector().keySet())
        || Stream.concat(demand.anyOfTerms().stream(), demand.preferred().stream())
            .anyMatch(Discretion::isGuess)
        || !demand.tolerations().stream().allMatch(one -> isUsual(one, demand));
  }

  private boolean isGuess(Topology topology) {
    var words = new TreeSet<>(topology.preferred());
    topology.required().ifPresent(words::add);
    topology.segments().forEach(segment -> words.add(segment.level()));
    return !words.stream().allMatch(this::isLevel);
  }

  /**
   * By its name or number, or that which NVLink over nodes stands for: else it is a label's key.
   */
  private boolean isLevel(String word) {
    return Topology.tierOf(word) > 0
        || word.equals(NvlinkDomain.LEVEL)
        || !levels.labelOf(word).equals(word)
        || levels.all().stream().anyMatch(level -> level.name().equals(word));
  }

  private static boolean isGuess(NodeTerm term) {
    return !term.fields().isEmpty()
        || term.labels().stream().anyMatch(label -> !SAID_OF_ALL.contains(label.key()));
  }

  /** For everything, for what Kubernetes itself taints nodes with, or for a device of the pod. */
  private static boolean isUsual(Toleration toleration, Demand demand) {
    var key = toleration.key();
    return key.isEmpty()
        || key.startsWith(OF_KUBERNETES)
        || demand.requests().extended().containsKey(key);
  }

  private boolean isSeen(String queue, String namespace) {
    return seenQueues.contains(queue) || queue.equals(queues.nameFor(namespace, Optional.empty()));
  }

  /** As much of it as may be told. */
  Reply told(Fit fit) {
    var after = fit.after().stream().filter(one -> access.sees(one.gang().namespace())).toList();
    int others = fit.after().size() - after.size();
    var why = why(fit.forecast());
    return new Reply.Given(
        new Reply.Outcome(
            VERSION,
            fit.at().toString(),
            fit.word(),
            why.orElse(null),
            fit.sentence(after, others, why),
            after.isEmpty()
                ? null
                : after.stream()
                    .map(one ->
                        new Reply.Gang(
                            one.gang().namespace(), one.gang().name(), one.since().toString()))
                    .toList(),
            others == 0 ? null : others,
            access.nodes() ? places(fit.forecast()) : null));
  }

  /** Tallies of nodes name taints and labels; what queues say names other queues. */
  private Optional<String> why(Forecast forecast) {
    var sentence = Optional.of(forecast.sentence());
    return switch (forecast) {
      case Forecast.Now _ -> sentence;
      case Forecast.AfterGangs _, Forecast.AfterOthers _, Forecast.AfterNodes _ ->
          sentence.filter(_ -> access.nodes());
      case Forecast.Withheld _ -> sentence.filter(this::namesNoHiddenQueue);
      case Forecast.Never(var cause, _) ->
          switch (cause) {
            case PODS -> sentence;
            case QUEUE -> sentence.filter(this::namesNoHiddenQueue);
            case NODES -> sentence.filter(_ -> access.nodes());
          };
    };
  }

  private boolean namesNoHiddenQueue(String sentence) {
    return queues.all().stream()
        .map(Queue::name)
        .noneMatch(name -> !seenQueues.contains(name) && sentence.contains(name));
  }

  private static List<Reply.Place> places(Forecast forecast) {
    return forecast instanceof Forecast.Now(_, var places)
        ? places.entrySet().stream()
            .map(place -> new Reply.Place(place.getKey(), place.getValue()))
            .toList()
        : null;
  }
}
