package io.muster.controller.kinds.etoperator.job;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.KeyToPathBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.core.engine.Action;
import io.muster.controller.kinds.etoperator.api.TrainingJob;
import io.muster.controller.kube.Ownership;
import io.muster.controller.kube.node.LeavingNodes;
import io.muster.extender.core.gang.GangKeys;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The pods of a TrainingJob: the user's templates with what et-operator's images find in theirs.
 * Thread-safe.
 */
public final class TrainingJobPods {

  private static final int KEY_MODE = 0600;
  private static final int READ_MODE = 0444;
  private static final int RUN_MODE = 0555;

  /** A job whose gang has started manages its members itself. */
  private static final String OWNER = "owner";

  /** Read by torchrun's rendezvous profile. */
  private static final String NODES = "muster.io/rendezvous-nodes";

  private final Images images;
  private final LeavingNodes nodes;

  /**
   * Of the containers that prepare a launcher.
   *
   * @param layOut any with a shell
   * @param kubectl has kubectl and a shell
   */
  public record Images(String layOut, String kubectl) {}

  /**
   * @param nodes which of them will go: no pod is sent there
   */
  public TrainingJobPods(Images images, LeavingNodes nodes) {
    this.images = images;
    this.nodes = nodes;
  }

  public Pod pod(TrainingJob job, Action.Create create) {
    return create.role().equals(EtOperatorNames.WORKER)
        ? worker(job, create)
        : launcher(job, create);
  }

  private Pod worker(TrainingJob job, Action.Create create) {
    var template = job.getSpec().etReplicaSpecs().worker().template();
    var spec = new PodSpecBuilder(template.getSpec()).withRestartPolicy("Never").build();
    var main = spec.getContainers().getFirst();
    boolean usesSsh = TrainingJobSpecMapper.usesSsh(job);
    if (main.getCommand() == null || main.getCommand().isEmpty()) {
      main.setCommand(
          List.of("sh", "-c", usesSsh ? "/usr/sbin/sshd  && sleep 365d" : "sleep 365d"));
    }
    if (usesSsh) {
      mountKey(spec, EtOperatorNames.sshSecret(job));
    }
    NodeTerms.keepOff(spec, nodes.hostnames());
    var metadata = metadata(job, template, create);
    metadata.getLabels().put(EtOperatorNames.INDEX_LABEL, Integer.toString(create.index()));
    sizes(job).ifPresent(range -> metadata.getAnnotations().putIfAbsent(NODES, range));
    create
        .resize()
        .ifPresent(id -> metadata.getLabels().put(EtOperatorNames.SCALE_OUT_LABEL, simpleName(id)));
    return new PodBuilder().withMetadata(metadata).withSpec(spec).build();
  }

  /** How many workers the job may have, which the gang of a ScaleOut does not tell. */
  private static Optional<String> sizes(TrainingJob job) {
    var worker = job.getSpec().etReplicaSpecs().worker();
    return Optional.ofNullable(worker.maxReplicas())
        .map(most -> Objects.requireNonNullElse(worker.minReplicas(), 1) + ":" + most);
  }

  /** What decides where the launcher can go: workers whose launcher fits nowhere do not start. */
  private PodSpec whereLauncherGoes(TrainingJob job) {
    var spec = job.getSpec().etReplicaSpecs().launcher().template().getSpec();
    var inits = new ArrayList<>(Objects.requireNonNullElse(spec.getInitContainers(), List.of()));
    inits.addAll(preparing(job));
    var affinity = Optional.ofNullable(spec.getAffinity()).map(Affinity::getNodeAffinity);
    var where =
        new PodSpecBuilder()
            .withContainers(spec.getContainers().stream().map(TrainingJobPods::needs).toList())
            .withInitContainers(inits.stream().map(TrainingJobPods::needs).toList())
            .withNodeSelector(spec.getNodeSelector())
            .withTolerations(spec.getTolerations())
            .withAffinity(
                affinity
                    .map(terms -> new AffinityBuilder().withNodeAffinity(terms).build())
                    .orElse(null))
            .build();
    NodeTerms.avoid(where, nodes.spotLabels());
    return where;
  }

  private static Container needs(Container container) {
    return new ContainerBuilder()
        .withName(container.getName())
        .withResources(container.getResources())
        .build();
  }

  private Pod launcher(TrainingJob job, Action.Create create) {
    var name = job.getMetadata().getName();
    var template = job.getSpec().etReplicaSpecs().launcher().template();
    var spec =
        new PodSpecBuilder(template.getSpec())
            .withRestartPolicy("Never")
            .withServiceAccountName(EtOperatorNames.launcher(name))
            .build();
    var main = spec.getContainers().getFirst();
    spec.getVolumes().add(emptyDir("training-job-hostfile"));
    spec.getVolumes().add(config(EtOperatorNames.config(name)));
    spec.getVolumes().add(emptyDir("training-job-kubectl"));
    spec.getVolumes().add(emptyDir("deepspeed-hostfile"));
    mount(main, "training-job-hostfile", "/etc/edl");
    mount(main, "training-job-config", "/etc/mpi");
    mount(main, "training-job-kubectl", "/opt/kube");
    mount(main, "deepspeed-hostfile", "/job");
    if (TrainingJobSpecMapper.usesSsh(job)) {
      mountKey(spec, EtOperatorNames.sshSecret(job));
    } else {
      // kubectl is to be somebody there.
      spec.setAutomountServiceAccountToken(true);
      main.getEnv()
          .add(
              new EnvVarBuilder()
                  .withName("OMPI_MCA_plm_rsh_agent")
                  .withValue("/etc/mpi/kubexec.sh")
                  .build());
    }
    spec.getInitContainers().addAll(preparing(job));
    // The job ends with its launcher.
    NodeTerms.avoid(spec, nodes.spotLabels());
    NodeTerms.keepOff(spec, nodes.hostnames());
    return new PodBuilder().withMetadata(metadata(job, template, create)).withSpec(spec).build();
  }

  /** What runs in the launcher's pod before the launcher, after what the user has there. */
  private List<Container> preparing(TrainingJob job) {
    return TrainingJobSpecMapper.usesSsh(job)
        ? List.of(layOut())
        : List.of(deliverKubectl(), layOut());
  }

  private Container layOut() {
    var container =
        preparing(
            "init-hostfile",
            images.layOut(),
            "cp /etc/mpi/hostfile /etc/edl/hostfile && chmod 644 /etc/edl/hostfile"
                + " && cp /etc/mpi/discover_hosts.sh /etc/edl/discover_hosts.sh"
                + " && chmod +x /etc/edl/discover_hosts.sh"
                + " && cp /etc/mpi/deepspeed-hostfile /job/hostfile"
                + " && chmod 644 /job/hostfile");
    mount(container, "training-job-hostfile", "/etc/edl");
    mount(container, "training-job-config", "/etc/mpi");
    mount(container, "deepspeed-hostfile", "/job");
    return container;
  }

  private Container deliverKubectl() {
    var container =
        preparing(
            "kubectl-delivery",
            images.kubectl(),
            "cp \"$(command -v kubectl)\" /opt/kube/kubectl && chmod 755 /opt/kube/kubectl");
    mount(container, "training-job-kubectl", "/opt/kube");
    return container;
  }

  private static Container preparing(String name, String image, String command) {
    var amounts =
        Map.of(
            "cpu", new Quantity("100m"),
            "memory", new Quantity("512Mi"),
            "ephemeral-storage", new Quantity("5Gi"));
    return new ContainerBuilder()
        .withName(name)
        .withImage(image)
        .withImagePullPolicy("IfNotPresent")
        .withNewResources()
        .withRequests(amounts)
        .withLimits(amounts)
        .endResources()
        .withCommand("sh", "-c", command)
        .build();
  }

  private ObjectMeta metadata(TrainingJob job, PodTemplateSpec template, Action.Create create) {
    var given = Optional.ofNullable(template.getMetadata());
    var labels = new HashMap<>(given.map(ObjectMeta::getLabels).orElse(Map.of()));
    labels.putAll(EtOperatorNames.labels(job.getMetadata().getName(), create.role()));
    var annotations = new HashMap<>(given.map(ObjectMeta::getAnnotations).orElse(Map.of()));
    annotations.put(
        GangKeys.NAME,
        create.resize().map(TrainingJobPods::simpleName).orElse(job.getMetadata().getName()));
    annotations.put(GangKeys.MIN, Integer.toString(create.gangSize()));
    annotations.put(GangKeys.ON_LOSS, OWNER);
    if (create.role().equals(EtOperatorNames.WORKER) && create.resize().isEmpty()) {
      annotations.put(GangKeys.LATER, Serialization.asJson(whereLauncherGoes(job)));
    }
    var metadata = Ownership.metadata(job, create.name());
    metadata.setLabels(labels);
    metadata.setAnnotations(annotations);
    return metadata;
  }

  /** The name in {@code Kind:namespace/name}. */
  private static String simpleName(String id) {
    return id.substring(id.lastIndexOf('/') + 1);
  }

  private static void mountKey(PodSpec spec, String secret) {
    spec.getVolumes()
        .add(
            new VolumeBuilder()
                .withName(secret)
                .withNewSecret()
                .withSecretName(secret)
                .withDefaultMode(KEY_MODE)
                .addToItems(
                    new KeyToPathBuilder().withKey("id_rsa").withPath(".ssh/id_rsa").build(),
                    new KeyToPathBuilder()
                        .withKey("id_rsa.pub")
                        .withPath(".ssh/id_rsa.pub")
                        .build(),
                    new KeyToPathBuilder()
                        .withKey("id_rsa.pub")
                        .withPath(".ssh/authorized_keys")
                        .build(),
                    new KeyToPathBuilder().withKey("config").withPath(".ssh/config").build())
                .endSecret()
                .build());
    for (var container : spec.getContainers()) {
      var mounts = new ArrayList<>(container.getVolumeMounts());
      mounts.add(
          new VolumeMountBuilder()
              .withName(secret)
              .withMountPath("/root/.ssh")
              .withSubPath(".ssh")
              .build());
      container.setVolumeMounts(mounts);
    }
  }

  private static Volume emptyDir(String name) {
    return new VolumeBuilder().withName(name).withNewEmptyDir().endEmptyDir().build();
  }

  private static Volume config(String configMap) {
    return new VolumeBuilder()
        .withName("training-job-config")
        .withNewConfigMap()
        .withName(configMap)
        .addNewItem("hostfile", READ_MODE, "hostfile")
        .addNewItem("deepspeed-hostfile", READ_MODE, "deepspeed-hostfile")
        .addNewItem("discover_hosts.sh", READ_MODE, "discover_hosts.sh")
        .addNewItem("kubexec.sh", RUN_MODE, "kubexec.sh")
        .endConfigMap()
        .build();
  }

  private static void mount(Container container, String volume, String path) {
    var mounts =
        new ArrayList<>(Objects.requireNonNullElse(container.getVolumeMounts(), List.of()));
    mounts.add(new VolumeMountBuilder().withName(volume).withMountPath(path).build());
    container.setVolumeMounts(mounts);
  }
}
