package io.muster.controller.kinds.etoperator.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.framework.JobAccess;
import io.muster.controller.kinds.etoperator.api.TrainingJob;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What a launcher finds, and the keys of a job that was made again by the same name. */
@EnableKubernetesMockClient(https = false, crud = true)
final class LauncherWritesTest {

  private KubernetesClient client;

  private static TrainingJob job(String uid, String mode) {
    return Serialization.unmarshal(
        """
        apiVersion: kai.alibabacloud.com/v1alpha1
        kind: TrainingJob
        metadata: {name: j, namespace: ml, uid: %s}
        spec:
          launcherAttachMode: %s
          etReplicaSpecs:
            launcher: {template: {spec: {containers: [{name: main, image: mine}]}}}
            worker: {template: {spec: {containers: [{name: main, image: mine}]}}}
        """
            .formatted(uid, mode),
        TrainingJob.class);
  }

  private static Pod pod(String node, String phase) {
    return new PodBuilder()
        .withNewMetadata()
        .withName("j-worker-0")
        .endMetadata()
        .withNewSpec()
        .withNodeName(node)
        .endSpec()
        .withNewStatus()
        .withPhase(phase)
        .endStatus()
        .build();
  }

  private Stream<String> owners() {
    return client.secrets().inNamespace("ml").list().getItems().stream()
        .flatMap(secret -> secret.getMetadata().getOwnerReferences().stream())
        .map(owner -> owner.getUid());
  }

  @Test
  void theyAreMadeAgainOnceThoseOfTheEarlierJobAreGone() {
    var writes = new LauncherWrites(JobAccess.of(client, "muster", () -> Instant.EPOCH));
    var job = job("new", "ssh");
    writes.makeKeys(job("old", "ssh"));
    writes.makeKeys(job);
    assertThat(owners()).containsExactly("old");
    client.secrets().inNamespace("ml").withName("j").delete();

    assertThat(LauncherWrites.areKeysAwaited(job, List.of(pod("n1", "Pending")))).isTrue();
    writes.makeKeys(job);
    assertThat(owners()).containsExactly("new");
  }

  @Test
  void onlyAPodThatHasItsNodeAndDoesNotRunWaitsForThem() {
    var job = job("u", "ssh");
    assertThat(LauncherWrites.areKeysAwaited(job, List.of())).isFalse();
    assertThat(LauncherWrites.areKeysAwaited(job, List.of(pod(null, "Pending")))).isFalse();
    assertThat(LauncherWrites.areKeysAwaited(job, List.of(pod("n1", "Running")))).isFalse();
    assertThat(LauncherWrites.areKeysAwaited(job("u", "kubexec"), List.of(pod("n1", "Pending"))))
        .isFalse();
  }

  @Test
  void theyAreMadeAgainSeldomerAndSeldomer() {
    var memory = new LauncherMemory();
    int writes = 0;
    for (int second = 0; second < 3600; second++) {
      if (memory.areKeysDue(Instant.EPOCH.plusSeconds(second))) {
        writes++;
      }
    }
    assertThat(writes).isEqualTo(17);
    assertThat(memory.untilKeysAreDue(Instant.EPOCH.plusSeconds(3600)))
        .isPositive()
        .isLessThanOrEqualTo(Duration.ofSeconds(320));
  }

  /** A pod whose ConfigMap is gone waits for it for ever. */
  @Test
  void aLauncherThatIsMadeAgainFindsWhatSomebodyHasDeletedMeanwhile() {
    var writes = new LauncherWrites(JobAccess.of(client, "muster", () -> Instant.EPOCH));
    var memory = new LauncherMemory();
    var job = job("u", "kubexec");
    writes.configureAnew(job, memory, List.of("j-worker-0"));
    client.configMaps().inNamespace("ml").withName("j-config").delete();
    client.rbac().roles().inNamespace("ml").withName("j-launcher").delete();

    writes.configureAnew(job, memory, List.of("j-worker-0"));

    assertThat(client.configMaps().inNamespace("ml").withName("j-config").get()).isNotNull();
    assertThat(client.rbac().roles().inNamespace("ml").withName("j-launcher").get()).isNotNull();
  }
}
