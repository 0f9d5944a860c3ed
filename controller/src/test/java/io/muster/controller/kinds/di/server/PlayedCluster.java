package io.muster.controller.kinds.di.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.kinds.di.PlayedController;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.api.RoleTemplate;
import io.muster.controller.kinds.di.coordinator.WorkerRequests;
import io.muster.controller.kinds.di.server.call.Access;
import io.muster.controller.kinds.di.server.call.Call;
import io.muster.controller.kinds.di.server.call.DiReply;
import io.muster.controller.kinds.di.server.call.DiView;
import io.muster.controller.kinds.di.server.worker.DiStore;
import io.muster.controller.kinds.di.server.worker.FailedWorkers;
import io.muster.controller.kinds.di.server.worker.Sizing;
import io.muster.controller.kinds.di.server.worker.TaskCalls;
import io.muster.controller.kinds.di.server.worker.Waits;
import io.muster.controller.kinds.di.server.worker.WorkerDeletes;
import io.muster.controller.kinds.di.server.worker.WorkerGets;
import io.muster.controller.kinds.di.server.worker.WorkerPosts;
import io.muster.controller.kube.Marks;
import io.muster.extender.port.Delays;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * An API server with one job, the controller that checks after it, and any number of servers; time
 * passes only by {@link #pass}.
 */
public final class PlayedCluster implements DiView, DiStore, Delays {

  /** After which nothing more comes of what was done. */
  private static final int ROUNDS = 3;

  private static final ObjectMapper JSON = new ObjectMapper();

  public static final String COORDINATED =
      """
      apiVersion: diengine.opendilab.org/v2alpha1
      kind: DIJob
      metadata: {name: qbert, namespace: ml, uid: u1, creationTimestamp: "2026-01-01T00:00:00Z"}
      spec:
        coordinator: {template: {spec: {containers: [{name: di-container}]}}}
        collector: {template: {spec: {containers: [{name: di-container}]}}}
        learner: {template: {spec: {containers: [{name: di-container}]}}}
      """;
  public static final String TASKS =
      """
      apiVersion: diengine.opendilab.org/v2alpha1
      kind: DIJob
      metadata: {name: tasks, namespace: ml, uid: u2, creationTimestamp: "2026-01-01T00:00:00Z"}
      spec:
        minReplicas: 2
        maxReplicas: 5
        tasks:
        - {type: learner, replicas: 1, template: {spec: {containers: [{name: di-container}]}}}
        - {type: collector, replicas: 2, template: {spec: {containers: [{name: di-container}]}}}
      """;

  /** Work that waits for a time. */
  private record Due(Instant at, Runnable work) {}

  public final Map<String, Pod> pods = new TreeMap<>();
  private final List<Waits> servers = new ArrayList<>();
  private final Queue<Runnable> work = new ConcurrentLinkedQueue<>();
  private final List<Due> due = new ArrayList<>();
  private Optional<DIJob> job;
  private Instant now = Instant.parse("2026-01-01T00:00:10Z");
  private int version = 1;
  public int writes;
  int conflicts;
  boolean hasAggregator = true;
  public List<Node> nodes = List.of(node("node-1", 8), node("node-2", 8));
  public Optional<List<Node>> newestNodes = Optional.empty();
  public List<Pod> others = List.of();
  boolean isControlled = true;

  /** What the apiserver says to each new pod, while it takes none. */
  Optional<String> refusal = Optional.empty();

  /** Of servers made from then on. */
  public boolean splitsToFit = true;

  public boolean refusesWhatNeverFits = true;

  public PlayedCluster(String manifest) {
    var read = Serialization.unmarshal(manifest, DIJob.class);
    read.getMetadata().setResourceVersion("1");
    job = Optional.of(read);
    settle();
  }

  /** One more process that serves everybody. */
  public DiApi server() {
    return server(Optional.empty(), new Access(true, this, _ -> Optional.empty()));
  }

  public DiApi server(Optional<Duration> hold, Access access) {
    var waits = new Waits(work::add, this);
    servers.add(waits);
    return new DiApi(
        CompletableFuture.completedFuture(null),
        access,
        new DiApi.Desks(
            new WorkerGets(this, this),
            new WorkerPosts(
                this,
                this,
                waits,
                () -> now,
                new WorkerPosts.Terms(hold, new Sizing(this, splitsToFit, refusesWhatNeverFits))),
            new WorkerDeletes(this, this, waits),
            new FailedWorkers(this, this, waits),
            new TaskCalls(this, this)),
        work::add);
  }

  public static Call call(String method, String path, String query, String body) {
    return call(method, path, query, body, new CompletableFuture<>());
  }

  public static Call call(
      String method, String path, String query, String body, CompletableFuture<Void> gone) {
    return new Call(
        method, path, query, body.getBytes(UTF_8), "10.0.0.9", Optional.empty(), () -> gone);
  }

  public CompletableFuture<DiReply> ask(DiApi server, Call call) {
    var answer = server.answer(call);
    settle();
    return answer;
  }

  /** Does all that can be done without time going on. */
  void settle() {
    for (int round = 0; round < ROUNDS; round++) {
      work();
      if (isControlled) {
        job.ifPresent(there ->
            PlayedController.look(
                there, pods, now, Optional.of(PlayedController.AGGREGATOR), refusal));
      }
      job.map(Waits::key).ifPresent(key -> servers.forEach(server -> server.changed(key)));
    }
    work();
  }

  private void work() {
    for (var next = work.poll(); next != null; next = work.poll()) {
      next.run();
    }
  }

  /** Lets time go on. */
  void pass(Duration time) {
    now = now.plus(time);
    var ripe = due.stream().filter(item -> !item.at().isAfter(now)).toList();
    due.removeAll(ripe);
    ripe.forEach(item -> item.work().run());
    settle();
  }

  /** All pods run and are ready. */
  public void run() {
    settle();
    pods.replaceAll((_, pod) -> ready(pod));
    settle();
  }

  private static Pod ready(Pod pod) {
    return new PodBuilder(pod)
        .editOrNewStatus()
        .withPhase("Running")
        .withPodIP(address(pod))
        .withConditions()
        .addNewCondition()
        .withType("Ready")
        .withStatus("True")
        .endCondition()
        .endStatus()
        .build();
  }

  private static String address(Pod pod) {
    int number = Integer.parseInt(pod.getMetadata().getUid().replaceAll("\\D", ""));
    return "10.1.%d.%d".formatted(number / 250, 1 + number % 250);
  }

  public void runs(String name) {
    pods.computeIfPresent(name, (_, pod) -> ready(pod));
    settle();
  }

  public DIJob job() {
    return job.orElseThrow();
  }

  public WorkerRequests requests() {
    return WorkerRequests.of(job());
  }

  /** Somebody writes that where the requests are kept, or removes them. */
  void annotate(String text) {
    var annotations = new HashMap<>(Marks.annotations(job()));
    if (text == null) {
      annotations.remove(WorkerRequests.KEY);
    } else {
      annotations.put(WorkerRequests.KEY, text);
    }
    job().getMetadata().setAnnotations(annotations);
    version++;
    job().getMetadata().setResourceVersion(Integer.toString(version));
    settle();
  }

  void remove() {
    var key = Waits.key(job());
    job = Optional.empty();
    servers.forEach(server -> server.changed(key));
    settle();
  }

  /** How many calls are held. */
  int waiting() {
    return servers.stream().mapToInt(Waits::count).sum();
  }

  /** Names of pods of a kind. */
  List<String> names(String type) {
    return pods.values().stream()
        .filter(pod -> type.equals(Marks.labels(pod).get("replica-type")))
        .map(pod -> pod.getMetadata().getName())
        .toList();
  }

  @Override
  public void after(Duration delay, Runnable later) {
    due.add(new Due(now.plus(delay), later));
  }

  @Override
  public Optional<DIJob> job(String namespace, String name) {
    return job.filter(there -> Waits.key(there).equals(namespace + "/" + name))
        .map(Serialization::clone);
  }

  @Override
  public List<DIJob> jobs() {
    return job.stream().toList();
  }

  @Override
  public List<Pod> pods(DIJob of) {
    return List.copyOf(pods.values());
  }

  @Override
  public Optional<Pod> pod(String namespace, String name) {
    return Optional.ofNullable(pods.get(name)).filter(_ -> namespace.equals("ml"));
  }

  @Override
  public List<Pod> at(String address) {
    return pods.values().stream()
        .filter(pod -> address.equals(pod.getStatus().getPodIP()))
        .toList();
  }

  @Override
  public DIJob edit(DIJob known, List<Edit> edits) {
    return edited(known, edits);
  }

  @Override
  public DIJob editStatus(DIJob known, List<Edit> edits) {
    return edited(known, edits);
  }

  private DIJob edited(DIJob known, List<Edit> edits) {
    var there = job();
    if (conflicts > 0) {
      conflicts--;
      version++;
      there.getMetadata().setResourceVersion(Integer.toString(version));
    }
    if (!known
        .getMetadata()
        .getResourceVersion()
        .equals(there.getMetadata().getResourceVersion())) {
      throw new KubernetesClientException("written by another", 409, null);
    }
    writes++;
    var tree = (ObjectNode) read(Serialization.asJson(there));
    edits.forEach(edit -> put(tree, edit));
    var changed = Serialization.unmarshal(tree.toString(), DIJob.class);
    version++;
    changed.getMetadata().setResourceVersion(Integer.toString(version));
    job = Optional.of(changed);
    return Serialization.clone(changed);
  }

  private static JsonNode read(String json) {
    try {
      return JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void put(ObjectNode tree, Edit edit) {
    int last = edit.path().lastIndexOf('/');
    var parent = tree.at(edit.path().substring(0, last));
    var field = edit.path().substring(last + 1).replace("~1", "/");
    if (parent instanceof ObjectNode object) {
      object.set(field, JSON.valueToTree(edit.value()));
    } else {
      throw new KubernetesClientException("no " + edit.path(), 422, null);
    }
  }

  @Override
  public void delete(Pod pod) {
    pods.remove(pod.getMetadata().getName());
  }

  @Override
  public List<Node> nodes() {
    return nodes;
  }

  @Override
  public List<Node> newestNodes() {
    return newestNodes.orElse(nodes);
  }

  @Override
  public List<Pod> podsOnNodes() {
    return others;
  }

  @Override
  public Optional<RoleTemplate> aggregator() {
    return hasAggregator ? Optional.of(PlayedController.AGGREGATOR) : Optional.empty();
  }

  public static Node node(String name, int gpus) {
    return Serialization.unmarshal(
        """
        metadata: {name: %s, labels: {pool: rl}}
        status:
          conditions: [{type: Ready, status: "True"}]
          allocatable: {cpu: "64", memory: 256Gi, pods: "110", nvidia.com/gpu: "%d"}
        """
            .formatted(name, gpus),
        Node.class);
  }

  /** Somebody's pod on a node. */
  public static Pod other(String node, int gpus) {
    return Serialization.unmarshal(
        """
        metadata: {name: other-%1$s, namespace: elsewhere, uid: other-%1$s}
        spec: {nodeName: %1$s, containers: [{name: c, resources: {limits: {nvidia.com/gpu: %2$d}}}]}
        """
            .formatted(node, gpus),
        Pod.class);
  }
}
