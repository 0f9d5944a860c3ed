package io.muster.controller.kinds.etoperator.job;

import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.AffinityBuilder;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.job.ResizeRequest;
import io.muster.controller.kinds.etoperator.api.TrainingJob;
import io.muster.controller.kube.OwnGang;
import io.muster.controller.kube.Ownership;
import io.muster.controller.kube.node.LeavingNodes;
import io.muster.controller.kube.pod.PodParts;
import io.muster.controller.kube.pod.Variables;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.dialect.DialectDetector;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The pods of a TrainingJob: the user's templates with what et-operator's images find in theirs.
 * Thread-safe.
 */
public final class TrainingJobPods {

  private static final PodParts LAUNCHER =
      PodParts.beside(TrainingJobPods.class, "launcher.yml", "config");
  private static final PodParts KEY =
      PodParts.beside(TrainingJobPods.class, "ssh-key.yml", "volume");

  private static final Pattern VOLUME = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");

  /** A job whose gang has started manages its members itself. */
  private static final String OWNER = "owner";

  /** Read by torchrun's rendezvous profile. */
  private static final String NODES = "muster.io/rendezvous-nodes";

  private final Images images;
  private final LeavingNodes nodes;

  /**
   * Of the containers that prepare a launcher.
   *
   * @param layOut of the one that lays out the launcher's files; any with a shell
   * @param kubectl of the one that brings kubectl where launchers use it; has it on its PATH, and a
   *     shell
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
      mountKey(spec, job);
    }
    NodeTerms.keepOff(spec, nodes.hostnames());
    var metadata = metadata(job, template, create);
    metadata.getLabels().put(EtOperatorNames.INDEX_LABEL, Integer.toString(create.index()));
    sizes(job).ifPresent(range -> metadata.getAnnotations().putIfAbsent(NODES, range));
    create
        .resize()
        .ifPresent(id ->
            metadata.getLabels().put(EtOperatorNames.SCALE_OUT_LABEL, ResizeRequest.nameIn(id)));
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
    inits.addAll(added(job).getInitContainers());
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
    var added = added(job);
    spec.getVolumes().addAll(added.getVolumes());
    PodParts.mount(main, added);
    if (TrainingJobSpecMapper.usesSsh(job)) {
      mountKey(spec, job);
    } else {
      // kubectl is to be somebody there.
      spec.setAutomountServiceAccountToken(true);
      main.getEnv().add(Variables.of("OMPI_MCA_plm_rsh_agent", "/etc/mpi/kubexec.sh"));
    }
    spec.getInitContainers().addAll(added.getInitContainers());
    // The job ends with its launcher.
    NodeTerms.avoid(spec, nodes.spotLabels());
    NodeTerms.keepOff(spec, nodes.hostnames());
    return new PodBuilder().withMetadata(metadata(job, template, create)).withSpec(spec).build();
  }

  /** What the launcher has beside what its template says; only without ssh it needs kubectl. */
  private PodSpec added(TrainingJob job) {
    var added = LAUNCHER.with(EtOperatorNames.config(job.getMetadata().getName()));
    added.getInitContainers().getFirst().setImage(images.kubectl());
    added.getInitContainers().getLast().setImage(images.layOut());
    if (TrainingJobSpecMapper.usesSsh(job)) {
      added.getInitContainers().removeFirst();
    }
    return added;
  }

  private ObjectMeta metadata(TrainingJob job, PodTemplateSpec template, Action.Create create) {
    var given = Optional.ofNullable(template.getMetadata());
    var labels = new HashMap<>(given.map(ObjectMeta::getLabels).orElse(Map.of()));
    labels.putAll(EtOperatorNames.labels(job.getMetadata().getName(), create.role()));
    var annotations = new HashMap<>(given.map(ObjectMeta::getAnnotations).orElse(Map.of()));
    annotations.put(GangKeys.NAME, gang(OwnGang.of(job), create));
    annotations.put(GangKeys.MIN, Integer.toString(create.gangSize()));
    annotations.put(GangKeys.ON_LOSS, OWNER);
    if (create.resize().isPresent() && areToBeClose(annotations)) {
      annotations.put(GangKeys.JOINS, OwnGang.of(job));
    }
    if (create.role().equals(EtOperatorNames.WORKER) && create.resize().isEmpty()) {
      annotations.put(GangKeys.LATER, Serialization.asJson(whereLauncherGoes(job)));
    }
    var metadata = Ownership.metadata(job, create.name());
    metadata.setLabels(labels);
    metadata.setAnnotations(annotations);
    return metadata;
  }

  /** Those of a ScaleOut start together, even if it is called like the gang of its job. */
  private static String gang(String own, Action.Create create) {
    return create.resize().map(id -> gang(own, id)).orElse(own);
  }

  /**
   * The gang of a ScaleOut.
   *
   * @param own gang of its job
   */
  public static String gang(String own, String scaleOut) {
    var name = ResizeRequest.nameIn(scaleOut);
    return name.equals(own) ? name + ".scaleout" : name;
  }

  private static boolean areToBeClose(Map<String, String> annotations) {
    return new DialectDetector()
        .recognise(new Markings("", Map.of(), annotations))
        .filter(member -> !member.topology().isAnywhere())
        .isPresent();
  }

  /** The volume is called as the Secret, unless that is the name of no volume. */
  private static void mountKey(PodSpec spec, TrainingJob job) {
    var secret = EtOperatorNames.sshSecret(job);
    var key = KEY.with(VOLUME.matcher(secret).matches() ? secret : job.getMetadata().getName());
    key.getVolumes().getFirst().getSecret().setSecretName(secret);
    spec.getVolumes().addAll(key.getVolumes());
    spec.getContainers().forEach(container -> PodParts.mount(container, key));
  }
}
