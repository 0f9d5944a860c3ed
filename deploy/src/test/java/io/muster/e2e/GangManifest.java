package io.muster.e2e;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.extender.kube.gang.Gang;
import io.muster.sandbox.Await;
import io.muster.sandbox.SandboxException;
import io.muster.sandbox.TestSpace;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;

/**
 * A gang as a user writes it down, for the nodes of one test. Immutable.
 *
 * @param annotations of every member
 * @param gpus each member asks for, 0 for a member that needs none
 */
public record GangManifest(
    TestSpace space,
    String name,
    int members,
    Map<String, String> annotations,
    int gpus,
    Optional<String> priorityClass) {

  private static final int ATTEMPTS = 5;
  private static final Duration ASSEMBLED = Duration.ofSeconds(10);

  public static final String NAME = "gang.scheduling.koordinator.sh/name";
  public static final String MIN = "gang.scheduling.koordinator.sh/min-available";

  public GangManifest {
    annotations = Map.copyOf(annotations);
  }

  /** All of so many members, a GPU each. */
  public static GangManifest of(TestSpace space, String name, int members) {
    return new GangManifest(
        space,
        name,
        members,
        Map.of(NAME, name, MIN, Integer.toString(members)),
        1,
        Optional.empty());
  }

  public GangManifest min(int min) {
    return annotated(MIN, Integer.toString(min));
  }

  public GangManifest annotated(String key, String value) {
    var all = new HashMap<>(annotations);
    all.put(key, value);
    return new GangManifest(space, name, members, all, gpus, priorityClass);
  }

  public GangManifest without(String key) {
    var all = new HashMap<>(annotations);
    all.remove(key);
    return new GangManifest(space, name, members, all, gpus, priorityClass);
  }

  public GangManifest gpus(int each) {
    return new GangManifest(space, name, members, annotations, each, priorityClass);
  }

  public GangManifest ofPriority(String ofClass) {
    return new GangManifest(space, name, members, annotations, gpus, Optional.of(ofClass));
  }

  public GangWatch.GangName gang() {
    return new GangWatch.GangName(space.namespace(), name);
  }

  public Pod pod(String podName) {
    var builder =
        new PodBuilder()
            .withNewMetadata()
            .withName(podName)
            .withNamespace(space.namespace())
            .withAnnotations(annotations)
            .endMetadata()
            .withNewSpec()
            .withNodeSelector(space.nodeSelector())
            .withRestartPolicy("Never")
            .addNewContainer()
            .withName("main")
            .withImage("any")
            .withNewResources()
            .addToRequests("cpu", new Quantity("100m"))
            .endResources()
            .endContainer()
            .endSpec();
    var pod = builder.build();
    priorityClass.ifPresent(pod.getSpec()::setPriorityClassName);
    if (gpus > 0) {
      var gpu = Map.of("nvidia.com/gpu", new Quantity(Integer.toString(gpus)));
      pod.getSpec().getContainers().getFirst().getResources().setLimits(gpu);
    }
    return pod;
  }

  public List<Pod> pods() {
    return IntStream.range(0, members).mapToObj(i -> pod(name + "-" + i)).toList();
  }

  /** Creates every member, one after the other. */
  public void create() {
    pods().forEach(this::create);
  }

  public void create(Pod pod) {
    space.client().pods().inNamespace(space.namespace()).resource(pod).create();
  }

  /** Creates every member, each again while the cluster refuses it, as a controller would. */
  public void createPatiently(Duration limit) {
    for (var pod : pods()) {
      Await.until("pod " + pod.getMetadata().getName() + " to be created", limit, () -> tried(pod));
    }
  }

  /**
   * Creates the first members, and one that stands in for the last: Muster plans it with them, and
   * no kube-scheduler serves it. Returns while Muster holds the bind calls of the others; makes all
   * anew where it gave up waiting before they had come, as it may on a busy machine.
   *
   * @param held bind calls held now
   */
  public void createUntilHeld(int first, IntSupplier held) {
    for (int i = 0; i < ATTEMPTS; i++) {
      pods().subList(0, first).forEach(this::create);
      var standIn = pod(standIn());
      standIn.getSpec().setSchedulerName("muster-scheduler");
      create(standIn);
      if (Await.within(ASSEMBLED, () -> held.getAsInt() == first)) {
        return;
      }
      delete();
      Await.until("the members to be gone", ASSEMBLED, () -> stored().isEmpty());
    }
    throw new SandboxException(first + " bind calls of " + gang() + " were never held at once.");
  }

  /** Deletes the one that stood in for the last member, which may be made then. */
  public void endStandIn() {
    var standIn = space.client().pods().inNamespace(space.namespace()).withName(standIn());
    standIn.withGracePeriod(0).delete();
    Await.until("the stand-in to be gone", ASSEMBLED, () -> standIn.get() == null);
  }

  private String standIn() {
    return name + "-stand-in";
  }

  /** Deletes every member without grace. */
  public void delete() {
    stored().forEach(pod -> space.client().pods().resource(pod).withGracePeriod(0).delete());
  }

  private boolean tried(Pod pod) {
    try {
      create(pod);
      return true;
    } catch (KubernetesClientException e) {
      return e.getCode() == HttpURLConnection.HTTP_CONFLICT;
    }
  }

  /** The same members as pods of a Job. */
  public Job job() {
    var template = pod("unnamed");
    return new JobBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace(space.namespace())
        .endMetadata()
        .withNewSpec()
        .withParallelism(members)
        .withCompletions(members)
        .withNewTemplate()
        .withNewMetadata()
        .withAnnotations(annotations)
        .endMetadata()
        .withSpec(template.getSpec())
        .endTemplate()
        .endSpec()
        .build();
  }

  public void createJob() {
    space.client().batch().v1().jobs().inNamespace(space.namespace()).resource(job()).create();
  }

  /** The members as they are in the cluster now. */
  public List<Pod> stored() {
    return space.client().pods().inNamespace(space.namespace()).list().getItems().stream()
        .filter(pod ->
            pod.getMetadata().getAnnotations() != null
                && name.equals(pod.getMetadata().getAnnotations().get(NAME)))
        .toList();
  }

  /** How many members are on a node now. */
  public long bound() {
    return stored().stream().filter(pod -> pod.getSpec().getNodeName() != null).count();
  }

  /** How many members run now. */
  public long running() {
    return stored().stream().filter(pod -> "Running".equals(pod.getStatus().getPhase())).count();
  }

  /** What is said of the first gang whose name has that in it; empty where nothing is. */
  static String why(TestSpace space, String gang) {
    return space
        .client()
        .resources(Gang.class)
        .inNamespace(space.namespace())
        .list()
        .getItems()
        .stream()
        .filter(found -> found.getMetadata().getName().contains(gang))
        .filter(found -> found.getStatus() != null && found.getStatus().message() != null)
        .map(found -> found.getStatus().message())
        .findFirst()
        .orElse("");
  }
}
