package io.muster.controller.kinds.paddle;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.ContainerPortBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.LifecycleBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.muster.controller.core.engine.Action;
import io.muster.controller.kinds.paddle.api.MasterSpec;
import io.muster.controller.kinds.paddle.api.PaddleJob;
import io.muster.controller.kinds.paddle.api.PaddleJobSpec;
import io.muster.controller.kinds.paddle.api.PserverSpec;
import io.muster.controller.kube.Marks;
import io.muster.controller.kube.OwnGang;
import io.muster.controller.kube.Ownership;
import io.muster.controller.kube.pod.Variables;
import io.muster.extender.core.gang.GangKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The pods of a TrainingJob, as PaddlePaddle's start script expects them. Stateless. */
final class PaddleJobPods {

  private static final String SCRIPT = "paddle_k8s";
  private static final String ALWAYS = "Always";
  private static final String ETCD_IMAGE = "quay.io/coreos/etcd:v3.2.1";
  private static final int ETCD_PORT = 2379;
  private static final int MASTER_PORT = 8080;
  private static final int DEFAULT_PORT = 7164;

  /** Annotations of the job that its pods have, too. */
  private static final List<String> PASSED_ON =
      List.of(
          GangKeys.QUEUE,
          GangKeys.RUN_TIME,
          GangKeys.RUN_TIME_LIMIT,
          GangKeys.TOPOLOGY_REQUIRED,
          GangKeys.TOPOLOGY_PREFERRED,
          GangKeys.SEGMENTS);

  /** The table of variables above is all that there is in these pods. */
  private static final String NO_VARIABLES = "muster.io/inject-env";

  private PaddleJobPods() {}

  static Pod pod(PaddleJob job, Action.Create create) {
    var metadata = Ownership.metadata(job, create.name());
    var name = job.getMetadata().getName();
    metadata.setLabels(
        new TreeMap<>(
            Map.of(PaddleNames.ROLE_LABELS.get(create.role()), name, PaddleNames.JOB_LABEL, name)));
    metadata.setAnnotations(annotations(job, create));
    return new PodBuilder().withMetadata(metadata).withSpec(spec(job, create.role())).build();
  }

  private static Map<String, String> annotations(PaddleJob job, Action.Create create) {
    var annotations = new TreeMap<String, String>();
    for (var key : PASSED_ON) {
      Optional.ofNullable(Marks.annotations(job).get(key))
          .ifPresent(said -> annotations.put(key, said));
    }
    annotations.put(NO_VARIABLES, "false");
    annotations.put(GangKeys.NAME, OwnGang.of(job));
    annotations.put(GangKeys.MIN, Integer.toString(PaddleJobSpecMapper.startingPods(job)));
    annotations.put(GangKeys.INDEX, Integer.toString(create.rank()));
    annotations.put(GangKeys.ROLE, create.role());
    annotations.put(GangKeys.ROLES, roles(job));
    return annotations;
  }

  /** Fewest members of each role: trainers beyond them are no part of what starts together. */
  private static String roles(PaddleJob job) {
    var roles = new ArrayList<String>();
    if (PaddleJobSpecMapper.masters(job) > 0) {
      roles.add(PaddleNames.MASTER + "=1");
    }
    if (PaddleJobSpecMapper.pservers(job) > 0) {
      roles.add(PaddleNames.PSERVER + "=" + PaddleJobSpecMapper.pservers(job));
    }
    roles.add(PaddleNames.TRAINER + "=" + job.getSpec().trainer().minInstance());
    return String.join(",", roles);
  }

  private static PodSpec spec(PaddleJob job, String role) {
    var said = job.getSpec();
    var grace = Marks.annotations(job).getOrDefault(PaddleJob.GRACE_SECONDS, "");
    var spec =
        new PodSpecBuilder()
            .withServiceAccountName(PaddleNames.account(job.getMetadata().getName()))
            .withRestartPolicy(role.equals(PaddleNames.TRAINER) ? "Never" : ALWAYS)
            .withVolumes(said.volumes())
            .withImagePullSecrets(said.imagePullSecrets())
            .withNodeSelector(nodeSelector(said))
            .withPriorityClassName(Marks.annotations(job).get(PaddleJob.PRIORITY_CLASS))
            .withContainers(
                switch (role) {
                  case PaddleNames.MASTER -> List.of(master(said), etcd(job));
                  case PaddleNames.PSERVER -> List.of(pserver(job));
                  default -> List.of(trainer(job));
                })
            .build();
    if (grace.matches("[0-9]{1,6}")) {
      spec.setTerminationGracePeriodSeconds(Long.valueOf(grace));
    }
    if (isInHostNetwork(said)) {
      spec.setHostNetwork(true);
    }
    return spec;
  }

  private static Map<String, String> nodeSelector(PaddleJobSpec said) {
    var labels =
        new TreeMap<>(Objects.requireNonNullElse(said.nodeSelectorInLowerCase(), Map.of()));
    labels.putAll(Objects.requireNonNullElse(said.nodeSelector(), Map.of()));
    return labels;
  }

  private static boolean isInHostNetwork(PaddleJobSpec said) {
    return Stream.of(
            said.hostNetwork(), said.hostNetworkInLowerCase(), said.hostNetworkInSnakeCase())
        .anyMatch(Boolean.TRUE::equals);
  }

  private static List<VolumeMount> mounts(PaddleJobSpec said) {
    return Stream.of(said.mounts(), said.mountsInLowerCase())
        .filter(Objects::nonNull)
        .flatMap(List::stream)
        .distinct()
        .toList();
  }

  private static Container master(PaddleJobSpec said) {
    return container(said, PaddleNames.MASTER, "start_master")
        .withImagePullPolicy(ALWAYS)
        .withVolumeMounts(mounts(said))
        .withPorts(port("master-port", MASTER_PORT), port("etcd-port", ETCD_PORT))
        .build();
  }

  private static Container pserver(PaddleJob job) {
    var said = job.getSpec();
    var command = Trainers.isTolerant(said) ? "start_new_pserver" : "start_pserver";
    return container(said, PaddleNames.PSERVER, command)
        .withPorts(ports(said))
        .withEnv(variables(job))
        .build();
  }

  /** The script is a shell that passes no signal on: whoever trains is told by another. */
  private static Container trainer(PaddleJob job) {
    var said = job.getSpec();
    var command =
        Trainers.isTolerant(said)
            ? new String[] {"start_new_trainer"}
            : new String[] {"start_trainer", "v2"};
    return container(said, PaddleNames.TRAINER, command)
        .withImagePullPolicy(ALWAYS)
        .withVolumeMounts(mounts(said))
        .withPorts(ports(said))
        .withEnv(variables(job))
        .withLifecycle(
            new LifecycleBuilder()
                .withNewPreStop()
                .withNewExec()
                .withCommand("sh", "-c", "kill -s TERM -- -1")
                .endExec()
                .endPreStop()
                .build())
        .build();
  }

  private static ContainerBuilder container(PaddleJobSpec said, String role, String... command) {
    var line = new ArrayList<>(List.of(SCRIPT));
    line.addAll(List.of(command));
    return new ContainerBuilder()
        .withName(role)
        .withImage(Objects.requireNonNullElse(said.image(), PaddleJobSpec.IMAGE))
        .withCommand(line)
        .withResources(TrainerNeeds.of(resources(said, role)).written());
  }

  private static ResourceRequirements resources(PaddleJobSpec said, String role) {
    return switch (role) {
      case PaddleNames.MASTER ->
          Optional.ofNullable(said.master()).map(MasterSpec::resources).orElse(null);
      case PaddleNames.PSERVER ->
          Optional.ofNullable(said.pserver()).map(PserverSpec::resources).orElse(null);
      default -> said.trainer().resources();
    };
  }

  /** The job's own store of tasks, or the way to another that outlives the pod. */
  private static Container etcd(PaddleJob job) {
    var other =
        Optional.ofNullable(job.getSpec().master())
            .map(master -> master.etcdEndpoint())
            .filter(endpoint -> !endpoint.isEmpty());
    return new ContainerBuilder()
        .withName("etcd")
        .withImage(ETCD_IMAGE)
        .withImagePullPolicy(ALWAYS)
        .withEnv(variables(job))
        .withCommand(other.map(PaddleJobPods::forwarding).orElseGet(PaddleJobPods::storing))
        .build();
  }

  private static List<String> storing() {
    return List.of(
        ("etcd -name etcd0"
                + " -advertise-client-urls http://$(POD_IP):2379,http://$(POD_IP):4001"
                + " -listen-client-urls http://0.0.0.0:2379,http://0.0.0.0:4001"
                + " -initial-advertise-peer-urls http://$(POD_IP):2380"
                + " -listen-peer-urls http://0.0.0.0:2380"
                + " -initial-cluster etcd0=http://$(POD_IP):2380"
                + " -initial-cluster-state new")
            .split(" "));
  }

  private static List<String> forwarding(String endpoint) {
    var address = endpoint.replaceFirst("^http://", "").replaceFirst("/$", "");
    return List.of(
        "etcd", "gateway", "start", "--endpoints=" + address, "--listen-addr=0.0.0.0:" + ETCD_PORT);
  }

  private static List<ContainerPort> ports(PaddleJobSpec said) {
    var ports = new ArrayList<ContainerPort>();
    for (int i = 0; i < count(said.ports()) + count(said.sparsePorts()); i++) {
      int number = firstPort(said) + i;
      ports.add(port("jobport-" + number, number));
    }
    return ports;
  }

  private static ContainerPort port(String name, int number) {
    return new ContainerPortBuilder().withName(name).withContainerPort(number).build();
  }

  private static int firstPort(PaddleJobSpec said) {
    return Objects.requireNonNullElse(said.port(), DEFAULT_PORT);
  }

  private static int count(Integer said) {
    return Objects.requireNonNullElse(said, 1);
  }

  /** What is written under trainer is meant. */
  private static int passes(PaddleJobSpec said) {
    return count(said.trainer().passes() == null ? said.passes() : said.trainer().passes());
  }

  private static List<EnvVar> variables(PaddleJob job) {
    var said = job.getSpec();
    var trainer = said.trainer();
    var needs = TrainerNeeds.of(trainer.resources());
    var trainers = Integer.toString(trainer.minInstance());
    return List.of(
        Variables.of("PADDLE_JOB_NAME", job.getMetadata().getName()),
        Variables.of("TRAINERS", trainers),
        Variables.of("PSERVERS", Integer.toString(PaddleJobSpecMapper.pservers(job))),
        Variables.of("ENTRY", trainer.entrypoint()),
        Variables.of("TOPOLOGY", trainer.entrypoint()),
        Variables.of("TRAINER_PACKAGE", Objects.requireNonNullElse(trainer.workspace(), "")),
        Variables.of("PADDLE_INIT_PORT", Integer.toString(firstPort(said))),
        Variables.of("PADDLE_INIT_TRAINER_COUNT", Integer.toString(needs.computers())),
        Variables.of("PADDLE_INIT_PORTS_NUM", Integer.toString(count(said.ports()))),
        Variables.of(
            "PADDLE_INIT_PORTS_NUM_FOR_SPARSE", Integer.toString(count(said.sparsePorts()))),
        Variables.of("PADDLE_INIT_NUM_GRADIENT_SERVERS", trainers),
        Variables.of("PADDLE_INIT_NUM_PASSES", Integer.toString(passes(said))),
        Variables.of("PADDLE_INIT_USE_GPU", needs.usesGpus() ? "1" : "0"),
        Variables.of("LD_LIBRARY_PATH", "/usr/local/cuda/lib64"),
        Variables.ofField("NAMESPACE", "metadata.namespace"),
        Variables.ofField("POD_IP", "status.podIP"));
  }
}
