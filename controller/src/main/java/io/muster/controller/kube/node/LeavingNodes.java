package io.muster.controller.kube.node;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.fabric8.kubernetes.client.informers.cache.ReducedStateItemStore;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.inbound.SimpleInboundEventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import io.muster.controller.kube.Informers;
import io.muster.controller.kube.Marks;
import io.muster.extender.kube.OnChange;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows which nodes will go, and by when their pods shall have left them: one watch for all job
 * kinds. A pod that is itself about to be disrupted counts as one on such a node. What was seen
 * goes with the process; the time that a node was given begins anew then, unless it says when it
 * goes. Safe for concurrent use.
 */
public final class LeavingNodes implements AutoCloseable {

  /** The label by which pods say where they are not to be. */
  public static final String HOSTNAME = "kubernetes.io/hostname";

  private static final Logger LOG = LoggerFactory.getLogger(LeavingNodes.class);
  private static final String DISRUPTED = "DisruptionTarget";

  private final Settings settings;
  private final InstantSource clock;
  private final Map<String, Departure> departures = new ConcurrentHashMap<>();
  private final List<Consumer<String>> listeners = new CopyOnWriteArrayList<>();
  private Optional<SharedIndexInformer<Node>> informer = Optional.empty();

  /**
   * How it is known that nodes go, and how much time there is.
   *
   * @param notice from the signal on, where no time of the release is announced
   * @param margin before an announced release
   */
  public record Settings(SignalTable table, Duration notice, Duration margin) {}

  private record Departure(
      Instant seenAt, Optional<Instant> releaseAt, Optional<String> hostname) {}

  public LeavingNodes(Settings settings, InstantSource clock) {
    this.settings = settings;
    this.clock = clock;
  }

  /** By what nodes are known that may go any time. */
  public List<SignalTable.SpotLabel> spotLabels() {
    return settings.table().spotLabels();
  }

  /** Has someone told the name of a node whose signals have come, changed or gone. */
  public void onChange(Consumer<String> listener) {
    listeners.add(listener);
  }

  /** Has jobs with pods on a node reconciled again when it is known that it goes, or stays. */
  public <J extends HasMetadata> EventSource<?, J> source(
      InformerEventSource<Pod, J> pods, Function<Pod, Set<ResourceID>> jobOf) {
    return new NodeEvents<>(node ->
        pods.list(pod -> node.equals(pod.getSpec().getNodeName()))
            .flatMap(pod -> jobOf.apply(pod).stream())
            .distinct());
  }

  /**
   * Listens while it runs. Before that no job has been reconciled, so none missed it; after that
   * nothing is to hold what it has read of pods.
   */
  private final class NodeEvents<J extends HasMetadata> extends SimpleInboundEventSource<J> {

    private final Consumer<String> listener;

    /**
     * @param jobsOn the jobs with pods on that node
     */
    NodeEvents(Function<String, Stream<ResourceID>> jobsOn) {
      super("nodes");
      listener = node -> jobsOn.apply(node).forEach(this::propagateEvent);
    }

    @Override
    public void start() {
      super.start();
      onChange(listener);
    }

    @Override
    public void stop() {
      listeners.remove(listener);
      super.stop();
    }
  }

  /** By when each of these pods shall have left its node, by name; who may stay is not there. */
  public Map<String, Instant> deadlines(Collection<Pod> pods) {
    var deadlines = new HashMap<String, Instant>();
    for (var pod : pods) {
      deadline(pod).ifPresent(by -> deadlines.put(pod.getMetadata().getName(), by));
    }
    return deadlines;
  }

  /**
   * Begins to watch, unless it does already; all nodes have been read when it returns.
   *
   * @throws KubernetesClientException if they cannot be read in time
   */
  public synchronized void start(KubernetesClient client) {
    if (informer.isPresent()) {
      return;
    }
    var nodes = client.nodes().runnableInformer(0);
    // Of a node that was read nothing is needed but that it was there.
    nodes.itemStore(
        new ReducedStateItemStore<>(
            ReducedStateItemStore.NAME_KEY_STATE, Node.class, client.getKubernetesSerialization()));
    nodes.addEventHandler(new OnChange<>(this::see, this::forget));
    Informers.start(nodes, "the nodes");
    informer = Optional.of(nodes);
  }

  /** Those that will go, by their label {@code kubernetes.io/hostname}. */
  public Set<String> hostnames() {
    return departures.values().stream()
        .flatMap(departure -> departure.hostname().stream())
        .collect(Collectors.toSet());
  }

  /** When a pod shall have left its node; empty if it may stay. */
  public Optional<Instant> deadline(Pod pod) {
    var node =
        Optional.ofNullable(pod.getSpec().getNodeName())
            .flatMap(name -> Optional.ofNullable(departures.get(name)))
            .map(this::deadline);
    return Stream.concat(node.stream(), disruption(pod).stream()).min(Comparator.naturalOrder());
  }

  private Instant deadline(Departure departure) {
    return departure
        .releaseAt()
        .map(release -> release.minus(settings.margin()))
        .orElseGet(() -> departure.seenAt().plus(settings.notice()));
  }

  /** A preemption, an eviction, or a node that shuts down: whoever does it says so on the pod. */
  private Optional<Instant> disruption(Pod pod) {
    return Optional.ofNullable(pod.getStatus()).stream()
        .flatMap(status -> status.getConditions().stream())
        .filter(condition -> DISRUPTED.equals(condition.getType()))
        .filter(condition -> "True".equals(condition.getStatus()))
        .filter(condition -> condition.getLastTransitionTime() != null)
        .map(condition -> Instant.parse(condition.getLastTransitionTime()))
        .map(at -> at.plus(settings.notice()))
        .findFirst();
  }

  void see(Node node) {
    var name = node.getMetadata().getName();
    var given = settings.table().in(node);
    var release =
        given.stream()
            .flatMap(signal -> signal.releaseAt().stream())
            .min(Comparator.naturalOrder());
    var before = Optional.ofNullable(departures.get(name));
    var after =
        given.isEmpty()
            ? Optional.<Departure>empty()
            : Optional.of(
                new Departure(
                    before.map(Departure::seenAt).orElseGet(clock::instant),
                    release,
                    Optional.ofNullable(Marks.labels(node).get(HOSTNAME))));
    change(name, before, after);
  }

  void forget(Node node) {
    var name = node.getMetadata().getName();
    change(name, Optional.ofNullable(departures.get(name)), Optional.empty());
  }

  private void change(String name, Optional<Departure> before, Optional<Departure> after) {
    if (before.equals(after)) {
      return;
    }
    after.ifPresentOrElse(
        departure -> departures.put(name, departure), () -> departures.remove(name));
    LOG.atInfo()
        .addKeyValue("node", name)
        .addKeyValue("leftBy", after.map(this::deadline).map(Instant::toString).orElse(""))
        .log(after.isPresent() ? "a node will go" : "a node stays, or is gone");
    listeners.forEach(listener -> listener.accept(name));
  }

  @Override
  public synchronized void close() {
    informer.ifPresent(SharedIndexInformer::close);
    informer = Optional.empty();
  }
}
