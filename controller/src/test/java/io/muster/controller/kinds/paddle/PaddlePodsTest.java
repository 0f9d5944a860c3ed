package io.muster.controller.kinds.paddle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static org.assertj.core.api.Assertions.tuple;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.rbac.Role;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

final class PaddlePodsTest {

  private static Map<String, Pod> pods(String spec) {
    return new PlayedJob(
            """
            apiVersion: paddlepaddle.org/v1
            kind: TrainingJob
            metadata: {name: j}
            spec:
              %s
            """
                .formatted(spec))
        .run(1)
        .pods;
  }

  private static Container only(Pod pod) {
    assertThat(pod.getSpec().getContainers()).hasSize(1);
    return pod.getSpec().getContainers().getFirst();
  }

  private static Map<String, String> variables(Container container) {
    var all = new LinkedHashMap<String, String>();
    for (EnvVar variable : container.getEnv()) {
      all.put(
          variable.getName(),
          Objects.requireNonNullElseGet(
              variable.getValue(), () -> variable.getValueFrom().getFieldRef().getFieldPath()));
    }
    return all;
  }

  @Test
  void theExampleIsAMasterWithEtcdTwoPserversAndTwoTrainersWithTheirVariables() {
    var pods = PlayedJob.example().run(1).pods;

    assertThat(pods)
        .containsOnlyKeys(
            "example-master-0",
            "example-pserver-0",
            "example-pserver-1",
            "example-trainer-0",
            "example-trainer-1");
    var trainer = only(pods.get("example-trainer-1"));
    assertThat(variables(trainer))
        .containsExactly(
            entry("PADDLE_JOB_NAME", "example"),
            entry("TRAINERS", "2"),
            entry("PSERVERS", "2"),
            entry("ENTRY", "python /workspace/train_ft.py"),
            entry("TOPOLOGY", "python /workspace/train_ft.py"),
            entry("TRAINER_PACKAGE", "/workspace"),
            entry("PADDLE_INIT_PORT", "7164"),
            entry("PADDLE_INIT_TRAINER_COUNT", "1"),
            entry("PADDLE_INIT_PORTS_NUM", "1"),
            entry("PADDLE_INIT_PORTS_NUM_FOR_SPARSE", "1"),
            entry("PADDLE_INIT_NUM_GRADIENT_SERVERS", "2"),
            entry("PADDLE_INIT_NUM_PASSES", "50"),
            entry("PADDLE_INIT_USE_GPU", "0"),
            entry("LD_LIBRARY_PATH", "/usr/local/cuda/lib64"),
            entry("NAMESPACE", "metadata.namespace"),
            entry("POD_IP", "status.podIP"));
    assertThat(trainer.getCommand()).containsExactly("paddle_k8s", "start_new_trainer");
    assertThat(trainer.getImage()).isEqualTo("paddlepaddle/edl-example");
    assertThat(trainer.getImagePullPolicy()).isEqualTo("Always");
    assertThat(trainer.getPorts())
        .extracting(ContainerPort::getName, ContainerPort::getContainerPort)
        .containsExactly(tuple("jobport-7164", 7164), tuple("jobport-7165", 7165));
    assertThat(trainer.getResources().getRequests()).containsEntry("cpu", new Quantity("200m"));

    var pserver = only(pods.get("example-pserver-0"));
    assertThat(pserver.getCommand()).containsExactly("paddle_k8s", "start_new_pserver");
    assertThat(pserver.getEnv()).isEqualTo(trainer.getEnv());
    assertThat(pserver.getImagePullPolicy()).isNull();

    var master = pods.get("example-master-0").getSpec().getContainers();
    assertThat(master).extracting(Container::getName).containsExactly("master", "etcd");
    assertThat(master.getFirst().getCommand()).containsExactly("paddle_k8s", "start_master");
    assertThat(master.getFirst().getEnv()).isEmpty();
    assertThat(master.getFirst().getPorts())
        .extracting(ContainerPort::getContainerPort)
        .containsExactly(8080, 2379);
    assertThat(master.getLast().getImage()).isEqualTo("quay.io/coreos/etcd:v3.2.1");
    assertThat(master.getLast().getEnv()).isEqualTo(trainer.getEnv());
    assertThat(master.getLast().getCommand())
        .startsWith("etcd", "-name", "etcd0")
        .contains("http://$(POD_IP):2379,http://$(POD_IP):4001");
  }

  @Test
  void eachPodIsFoundByTheLabelOfItsRoleAndIsAMemberOfOneGang() {
    var pods =
        PlayedJob.example()
            .annotated("muster.io/queue", "speech")
            .annotated("muster.io/gang-topology-required", "rack")
            .run(1)
            .pods;

    assertThat(pods.get("example-master-0").getMetadata().getLabels())
        .containsEntry("paddle-job-master", "example")
        .doesNotContainKeys("paddle-job", "paddle-job-pserver");
    assertThat(pods.get("example-pserver-1").getMetadata().getLabels())
        .containsEntry("paddle-job-pserver", "example");
    assertThat(pods.get("example-trainer-0").getMetadata().getLabels())
        .containsEntry("paddle-job", "example");
    assertThat(pods.values())
        .allSatisfy(pod ->
            assertThat(pod.getMetadata().getAnnotations())
                .containsEntry("muster.io/gang-name", "example")
                .containsEntry("muster.io/gang-min", "5")
                .containsEntry("muster.io/gang-roles", "master=1,pserver=2,trainer=2")
                .containsEntry("muster.io/queue", "speech")
                .containsEntry("muster.io/gang-topology-required", "rack"));
    assertThat(pods.values())
        .extracting(pod -> pod.getMetadata().getAnnotations().get("muster.io/gang-index"))
        .containsExactlyInAnyOrder("0", "1", "2", "3", "4");
  }

  @Test
  void trainersAreNeverRestartedInPlaceAndAreToldWhenTheyAreToGo() {
    var pods = PlayedJob.example().annotated("muster.io/grace-seconds", "90").run(1).pods;

    var trainer = pods.get("example-trainer-0").getSpec();
    assertThat(trainer.getRestartPolicy()).isEqualTo("Never");
    assertThat(trainer.getTerminationGracePeriodSeconds()).isEqualTo(90);
    assertThat(
            trainer.getContainers().getFirst().getLifecycle().getPreStop().getExec().getCommand())
        .containsExactly("sh", "-c", "kill -s TERM -- -1");
    assertThat(pods.get("example-master-0").getSpec().getRestartPolicy()).isEqualTo("Always");
    assertThat(only(pods.get("example-pserver-0")).getLifecycle()).isNull();
  }

  @Test
  void withoutFaultToleranceThereIsNoMasterAndTheScriptStartsTheOlderWay() {
    var pods = PlayedJob.rigid().run(1).pods;

    assertThat(pods).containsOnlyKeys("rigid-pserver-0", "rigid-trainer-0", "rigid-trainer-1");
    assertThat(only(pods.get("rigid-trainer-0")).getCommand())
        .containsExactly("paddle_k8s", "start_trainer", "v2");
    assertThat(only(pods.get("rigid-pserver-0")).getCommand())
        .containsExactly("paddle_k8s", "start_pserver");
  }

  @Test
  void anEtcdOfTheUsersIsReachedWhereTheScriptLooksForTheMasters() {
    var pods =
        pods(
            """
              fault_tolerant: true
              trainer: {entrypoint: t, min-instance: 1}
              master: {etcd-endpoint: "http://etcd.store:2379/"}
            """
                .strip());
    assertThat(pods.get("j-master-0").getSpec().getContainers().getLast().getCommand())
        .containsExactly(
            "etcd",
            "gateway",
            "start",
            "--endpoints=etcd.store:2379",
            "--listen-addr=0.0.0.0:2379");
  }

  @Test
  void gpusAreAskedForAsClustersKnowThemAndCounted() {
    var pods =
        pods(
            """
            trainer:
                entrypoint: t
                min-instance: 1
                resources: {limits: {cpu: "4", alpha.kubernetes.io/nvidia-gpu: 2}}
            """
                .strip());
    var trainer = only(pods.get("j-trainer-0"));

    assertThat(trainer.getResources().getLimits())
        .containsEntry("nvidia.com/gpu", new Quantity("2"))
        .doesNotContainKey("alpha.kubernetes.io/nvidia-gpu");
    assertThat(trainer.getResources().getRequests())
        .containsEntry("nvidia.com/gpu", new Quantity("2"));
    assertThat(variables(trainer))
        .containsEntry("PADDLE_INIT_USE_GPU", "1")
        .containsEntry("PADDLE_INIT_TRAINER_COUNT", "2");
  }

  @Test
  void withoutGpusItsProcessorsAreCountedRoundedUp() {
    assertThat(
            variables(
                only(
                    pods("trainer: {entrypoint: t, min-instance: 1, resources: {requests: {cpu:"
                            + " 2500m}}}")
                        .get("j-trainer-0"))))
        .containsEntry("PADDLE_INIT_TRAINER_COUNT", "3");
    assertThat(
            variables(only(pods("trainer: {entrypoint: t, min-instance: 1}").get("j-trainer-0"))))
        .containsEntry("PADDLE_INIT_TRAINER_COUNT", "1");
  }

  @Test
  void oddKeysMeanWhatTheyMeantWhateverTheirCase() {
    var pods =
        pods(
            """
              fault_tolerant: true
              host_network: true
              volumes: [{name: data, emptyDir: {}}]
              VolumeMounts: [{name: data, mountPath: /data}]
              volumeMounts: [{name: data, mountPath: /more}, {name: data, mountPath: /data}]
              NodeSelector: {pool: a}
              nodeSelector: {pool: b, zone: z}
              imagePullSecrets: [{name: s}]
              trainer: {entrypoint: t, min-instance: 1, passes: 7}
              pserver: {min-instance: 1}
            """
                .strip());

    assertThat(pods.values())
        .allSatisfy(pod -> {
          assertThat(pod.getSpec().getHostNetwork()).isTrue();
          assertThat(pod.getSpec().getNodeSelector()).isEqualTo(Map.of("pool", "a", "zone", "z"));
          assertThat(pod.getSpec().getImagePullSecrets()).hasSize(1);
          assertThat(pod.getSpec().getVolumes()).hasSize(1);
        });
    for (var name : List.of("j-trainer-0", "j-master-0")) {
      assertThat(pods.get(name).getSpec().getContainers().getFirst().getVolumeMounts())
          .extracting(VolumeMount::getMountPath)
          .containsExactly("/data", "/more");
    }
    assertThat(only(pods.get("j-pserver-0")).getVolumeMounts()).isEmpty();
    assertThat(variables(only(pods.get("j-trainer-0"))))
        .containsEntry("PADDLE_INIT_NUM_PASSES", "7");
  }

  @Test
  void aFieldLeftOutHasTheDefaultThatTheApiServerFillsIn() {
    var trainer = only(pods("trainer: {entrypoint: t, min-instance: 1}").get("j-trainer-0"));

    assertThat(trainer.getImage()).isEqualTo("paddlepaddle/paddlecloud-job");
    assertThat(trainer.getPorts())
        .extracting(ContainerPort::getContainerPort)
        .containsExactly(7164, 7165);
    assertThat(variables(trainer)).containsEntry("PADDLE_INIT_NUM_PASSES", "1");
  }

  @Test
  void thePodsMayReadPodsAndNothingElse() {
    var job = PlayedJob.example().job;
    var account = ReconciledPaddleJob.accountOf(job);

    assertThat(account)
        .extracting(object -> object.getKind() + " " + object.getMetadata().getName())
        .containsExactly(
            "ServiceAccount example-paddle", "Role example-paddle", "RoleBinding example-paddle");
    var rules = ((Role) account.get(1)).getRules();
    assertThat(rules).hasSize(1);
    assertThat(rules.getFirst().getResources()).containsExactly("pods");
    assertThat(rules.getFirst().getVerbs()).containsExactly("get", "list");
    assertThat(PlayedJob.example().run(1).pods.values())
        .allSatisfy(
            pod -> assertThat(pod.getSpec().getServiceAccountName()).isEqualTo("example-paddle"));
  }
}
