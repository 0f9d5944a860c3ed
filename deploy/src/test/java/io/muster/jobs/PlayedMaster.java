package io.muster.jobs;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.sandbox.TestSpace;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Plays DLRover's master, which fake nodes cannot run: it makes the calls that the real one makes,
 * with the rights that Muster gives its account and no others. It creates the workers, makes lost
 * ones anew under the next id and their old rank, and does neither while the job is suspended.
 */
final class PlayedMaster implements AutoCloseable {

  private static final int BEATS_APART_MILLIS = 200;

  private final TestSpace space;
  private final String job;
  private final KubernetesClient client;
  private final Thread thread;
  private final AtomicBoolean isDone = new AtomicBoolean();
  private final List<String> refusals = new CopyOnWriteArrayList<>();
  private final boolean looksAtSuspend;
  private final Set<String> counted = new TreeSet<>();

  private PlayedMaster(TestSpace space, String job, boolean looksAtSuspend) {
    this.space = space;
    this.job = job;
    this.looksAtSuspend = looksAtSuspend;
    var token =
        space
            .sandbox()
            .kubectl("create", "token", "muster-dlrover-master", "-n", space.namespace())
            .strip();
    client =
        new KubernetesClientBuilder()
            .withConfig(
                Config.fromKubeconfig(space.sandbox().kubeconfig(space.sandbox().server(), token)))
            .build();
    thread = Thread.ofVirtual().start(this::run);
  }

  /** Its job's master pod is there. */
  static PlayedMaster of(TestSpace space, String job) {
    return new PlayedMaster(space, job, true);
  }

  /** One that starts before it has seen that its job is suspended, as the real one may. */
  static PlayedMaster rash(TestSpace space, String job) {
    return new PlayedMaster(space, job, false);
  }

  /** What the apiserver has said no to. */
  List<String> refusals() {
    return refusals;
  }

  /** A client with its rights. */
  KubernetesClient client() {
    return client;
  }

  private void run() {
    try {
      while (!isDone.get()) {
        beat();
        Thread.sleep(BEATS_APART_MILLIS);
      }
    } catch (InterruptedException _) {
      // Its pod has ended.
    }
  }

  private void beat() {
    try {
      var object =
          client.resources(ElasticJob.class).inNamespace(space.namespace()).withName(job).get();
      if (object == null || (looksAtSuspend && Boolean.TRUE.equals(object.getSpec().suspend()))) {
        return;
      }
      for (var role : List.of("ps", "worker")) {
        if (object.getSpec().replicaSpecs().containsKey(role)) {
          complete(object, role);
        }
      }
    } catch (KubernetesClientException e) {
      refusals.add(e.getMessage());
    }
  }

  private void complete(ElasticJob object, String role) {
    var pods =
        client
            .pods()
            .inNamespace(space.namespace())
            .withLabel("elasticjob.dlrover/name", job)
            .withLabel("elasticjob.dlrover/replica-type", role)
            .list()
            .getItems();
    int wanted = object.getSpec().replicaSpecs().get(role).replicas();
    pods.forEach(pod -> counted.add(role + "/" + label(pod, "rank-index") + "/" + id(pod)));
    var alive =
        new TreeSet<>(
            pods.stream()
                .filter(pod -> !"Failed".equals(pod.getStatus().getPhase()))
                .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
                .map(pod -> Integer.valueOf(label(pod, "rank-index")))
                .toList());
    for (int rank = 0; rank < wanted; rank++) {
      if (!alive.contains(rank)) {
        var prefix = role + "/" + rank + "/";
        long lost = counted.stream().filter(known -> known.startsWith(prefix)).count();
        int id = lost == 0 ? rank : nextId(role, wanted);
        create(object, role, id, rank, (int) lost);
        counted.add(prefix + id);
      }
    }
  }

  private int nextId(String role, int wanted) {
    return Math.max(
        wanted,
        1
            + counted.stream()
                .filter(known -> known.startsWith(role + "/"))
                .mapToInt(known -> Integer.parseInt(known.substring(known.lastIndexOf('/') + 1)))
                .max()
                .orElse(-1));
  }

  private void create(ElasticJob object, String role, int id, int rank, int relaunches) {
    var spec = object.getSpec().replicaSpecs().get(role);
    var owner =
        new OwnerReferenceBuilder()
            .withApiVersion("elastic.iml.github.io/v1alpha1")
            .withKind("ElasticJob")
            .withName(job)
            .withUid(object.getMetadata().getUid())
            .withBlockOwnerDeletion(true)
            .build();
    var pod =
        new PodBuilder()
            .withMetadata(spec.template().getMetadata())
            .withSpec(spec.template().getSpec())
            .editOrNewMetadata()
            .withName(job + "-edljob-" + role + "-" + id)
            .withNamespace(space.namespace())
            .addToLabels("app", "dlrover")
            .addToLabels("elasticjob.dlrover/name", job)
            .addToLabels("elasticjob.dlrover/replica-type", role)
            .addToLabels("elasticjob.dlrover/replica-index", Integer.toString(id))
            .addToLabels("elasticjob.dlrover/rank-index", Integer.toString(rank))
            .addToLabels("elasticjob.dlrover/relaunch-count", Integer.toString(relaunches))
            .withOwnerReferences(owner)
            .endMetadata()
            .editSpec()
            .withRestartPolicy("Never")
            .endSpec()
            .build();
    var main = pod.getSpec().getContainers().getFirst();
    addVariables(
        main,
        Map.of(
            "NODE_RANK", Integer.toString(rank),
            "NODE_NUM", Integer.toString(spec.replicas()),
            "DLROVER_MASTER_ADDR", "elasticjob-%s-dlrover-master:50001".formatted(job)));
    client.resource(pod).create();
    try {
      client
          .resource(
              new ServiceBuilder()
                  .withNewMetadata()
                  .withName(job + "-edljob-" + role + "-" + rank)
                  .withNamespace(space.namespace())
                  .withOwnerReferences(owner)
                  .endMetadata()
                  .withNewSpec()
                  .addNewPort()
                  .withPort(3333)
                  .endPort()
                  .addToSelector("elasticjob.dlrover/name", job)
                  .endSpec()
                  .build())
          .create();
    } catch (KubernetesClientException e) {
      if (e.getCode() != 409) {
        throw e;
      }
    }
  }

  private static void addVariables(Container container, Map<String, String> more) {
    var all = new ArrayList<>(container.getEnv());
    more.forEach((name, value) -> all.add(new EnvVar(name, value, null)));
    container.setEnv(all);
  }

  private static String label(Pod pod, String key) {
    return pod.getMetadata().getLabels().get("elasticjob.dlrover/" + key);
  }

  private static int id(Pod pod) {
    return Integer.parseInt(label(pod, "replica-index"));
  }

  @Override
  public void close() {
    isDone.set(true);
    thread.interrupt();
    try {
      thread.join(5_000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    client.close();
  }
}
