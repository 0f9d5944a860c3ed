package io.muster.controller.kinds.etoperator.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.core.engine.Action;
import io.muster.controller.kinds.etoperator.api.TrainingJob;
import io.muster.controller.kube.node.LeavingNodes;
import io.muster.controller.kube.node.SignalTable;
import io.muster.extender.core.gang.GangKeys;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The pods of a job whose launcher reaches its workers by exec, and of one that does so by ssh. */
final class TrainingJobPodsTest {

  private final TrainingJobPods forms =
      new TrainingJobPods(
          new TrainingJobPods.Images("small:1", "with-kubectl:2"),
          new LeavingNodes(
              new LeavingNodes.Settings(SignalTable.builtIn(), Duration.ZERO, Duration.ZERO),
              InstantSource.system()));

  private static TrainingJob job(String mode) {
    return Serialization.unmarshal(
        """
        apiVersion: kai.alibabacloud.com/v1alpha1
        kind: TrainingJob
        metadata: {name: j, namespace: ml, uid: u}
        spec:
          launcherAttachMode: %s
          etReplicaSpecs:
            launcher:
              template:
                spec:
                  automountServiceAccountToken: false
                  initContainers: [{name: fetch, image: mine}]
                  containers: [{name: main, image: mine}]
            worker:
              template: {spec: {containers: [{name: main, image: mine}]}}
        """
            .formatted(mode),
        TrainingJob.class);
  }

  private Pod pod(String mode, String role) {
    var name = role.equals(EtOperatorNames.WORKER) ? "j-worker-0" : "j-launcher";
    return forms.pod(job(mode), new Action.Create(role, 0, name, 1, Optional.empty(), 0, 0));
  }

  private Map<String, String> annotations(String more, Optional<String> resize) {
    var job = job("ssh");
    job.getSpec()
        .etReplicaSpecs()
        .worker()
        .template()
        .setMetadata(new ObjectMetaBuilder().addToAnnotations(more, "rack").build());
    return forms
        .pod(job, new Action.Create(EtOperatorNames.WORKER, 2, "j-worker-2", 1, resize, 2, 0))
        .getMetadata()
        .getAnnotations();
  }

  @Test
  void whoMakesTheJobLargerJoinsItsGangIfThatIsToBeClose() {
    var resize = Optional.of("ScaleOut:ml/more");
    assertThat(annotations(GangKeys.TOPOLOGY_REQUIRED, resize))
        .containsEntry(GangKeys.NAME, "more")
        .containsEntry(GangKeys.TOPOLOGY_REQUIRED, "rack")
        .containsEntry(GangKeys.JOINS, "j");
    assertThat(annotations(GangKeys.TOPOLOGY_REQUIRED, Optional.empty()))
        .containsEntry(GangKeys.NAME, "j")
        .doesNotContainKey(GangKeys.JOINS);
    assertThat(annotations("team", resize)).doesNotContainKey(GangKeys.JOINS);
  }

  /** In the gang of the job, which has started, they would start one by one. */
  @Test
  void aScaleOutThatIsCalledLikeItsJobIsAGangOfItsOwn() {
    assertThat(annotations("team", Optional.of("ScaleOut:ml/j")))
        .containsEntry(GangKeys.NAME, "j.scaleout");
  }

  @Test
  void byExecKubectlIsDeliveredAndNoKeyIsAround() {
    var launcher = pod("kubexec", EtOperatorNames.LAUNCHER).getSpec();

    assertThat(launcher.getInitContainers())
        .extracting(Container::getName, Container::getImage)
        .containsExactly(
            tuple("fetch", "mine"),
            tuple("kubectl-delivery", "with-kubectl:2"),
            tuple("init-hostfile", "small:1"));
    assertThat(launcher.getInitContainers().get(1).getVolumeMounts())
        .singleElement()
        .satisfies(mount -> {
          assertThat(mount.getName()).isEqualTo("training-job-kubectl");
          assertThat(mount.getMountPath()).isEqualTo("/opt/kube");
        });
    assertThat(launcher.getContainers().getFirst().getEnv())
        .extracting(EnvVar::getName, EnvVar::getValue)
        .containsExactly(tuple("OMPI_MCA_plm_rsh_agent", "/etc/mpi/kubexec.sh"));
    assertThat(launcher.getAutomountServiceAccountToken()).isTrue();
    assertThat(launcher.getVolumes()).extracting(Volume::getSecret).containsOnlyNulls();
    var worker = pod("kubexec", EtOperatorNames.WORKER).getSpec();
    assertThat(worker.getVolumes()).isEmpty();
    assertThat(worker.getContainers().getFirst().getCommand())
        .containsExactly("sh", "-c", "sleep 365d");
  }

  @Test
  void bySshThePodsAreAsTheyWere() {
    var launcher = pod("ssh", EtOperatorNames.LAUNCHER).getSpec();

    assertThat(launcher.getInitContainers())
        .extracting(Container::getName)
        .containsExactly("fetch", "init-hostfile");
    assertThat(launcher.getAutomountServiceAccountToken()).isFalse();
    assertThat(launcher.getContainers().getFirst().getEnv()).isEmpty();
    assertThat(launcher.getVolumes())
        .filteredOn(volume -> volume.getSecret() != null)
        .extracting(Volume::getName)
        .containsExactly("j");
  }

  private Volume key(String secret) {
    var job = job("ssh");
    job.getMetadata().setAnnotations(Map.of(EtOperatorNames.SSH_SECRET, secret));
    var create =
        new Action.Create(EtOperatorNames.WORKER, 0, "j-worker-0", 1, Optional.empty(), 0, 0);
    var spec = forms.pod(job, create).getSpec();
    var volume = spec.getVolumes().getFirst();
    assertThat(spec.getContainers().getFirst().getVolumeMounts())
        .extracting(VolumeMount::getName)
        .containsExactly(volume.getName());
    return volume;
  }

  @Test
  void theVolumeWithTheKeysIsCalledAsTheirSecret() {
    assertThat(key("team-keys").getName()).isEqualTo("team-keys");
    assertThat(key("team-keys").getSecret().getSecretName()).isEqualTo("team-keys");
    assertThat(key("").getName()).isEqualTo("j");
    assertThat(key("").getSecret().getSecretName()).isEqualTo("j");
  }

  /** The API server would take no pod with it. */
  @ParameterizedTest
  @ValueSource(
      strings = {"keys.team", "k234567890123456789012345678901234567890123456789012345678901234"})
  void aSecretMayHaveANameThatNoVolumeHas(String secret) {
    assertThat(key(secret).getName()).isEqualTo("j");
    assertThat(key(secret).getSecret().getSecretName()).isEqualTo(secret);
  }

  /** The kubelet says on the pods that there is no such Secret. */
  @ParameterizedTest
  @ValueSource(strings = {"my\"keys", "a\\b", "k\n  hostPath: {path: /}"})
  void whatIsTheNameOfNoSecretIsTakenAsItIs(String said) {
    assertThat(key(said).getSecret().getSecretName()).isEqualTo(said);
    assertThat(key(said).getName()).isEqualTo("j");
    assertThat(key(said).getHostPath()).isNull();
  }
}
