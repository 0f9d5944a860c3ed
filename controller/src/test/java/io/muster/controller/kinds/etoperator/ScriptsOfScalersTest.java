package io.muster.controller.kinds.etoperator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.Observed.ScriptEnd;
import io.muster.controller.framework.JobAccess;
import io.muster.controller.framework.JobWatch;
import io.muster.controller.framework.ReconciledJob.Seen;
import io.muster.controller.kinds.etoperator.api.ScaleIn;
import io.muster.controller.kinds.etoperator.api.ScaleOut;
import io.muster.controller.kinds.etoperator.api.TrainingJob;
import io.muster.controller.kinds.etoperator.job.TrainingJobPods;
import io.muster.controller.kinds.etoperator.launcher.LauncherMemory;
import io.muster.controller.kube.node.LeavingNodes;
import io.muster.controller.kube.node.SignalTable;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How a script has ended is known of the ScaleOut that it was run for, and of no other. */
@EnableKubernetesMockClient(https = false, crud = true)
final class ScriptsOfScalersTest {

  private KubernetesClient client;

  private EtOperatorKind kind;
  private final LauncherMemory memory = new LauncherMemory();
  private final TrainingJob job =
      Serialization.unmarshal(
          """
          metadata: {name: j, namespace: ml, uid: u}
          spec:
            etReplicaSpecs:
              launcher: {template: {spec: {containers: [{name: main, image: mine}]}}}
              worker: {template: {spec: {containers: [{name: main, image: mine}]}}}
          """,
          TrainingJob.class);

  @BeforeEach
  void aScriptHasFailed() {
    var nodes =
        new LeavingNodes(
            new LeavingNodes.Settings(SignalTable.builtIn(), Duration.ZERO, Duration.ZERO),
            () -> Instant.EPOCH);
    kind =
        new EtOperatorKind(
            new TrainingJobPods.Images("i", "k"),
            JobAccess.of(client, "muster", () -> Instant.EPOCH),
            nodes,
            mock(),
            _ -> Optional.empty());
    var running = reconciled(scaler("s", "Scaling"));
    var request = running.resizes().getFirst().request();
    kind.launchers.script(job, memory, request, List.of("j-worker-2"));
  }

  private static ScaleOut scaler(String uid, String condition) {
    return Serialization.unmarshal(
        """
        kind: ScaleOut
        metadata:
          name: more
          namespace: ml
          uid: %s
          resourceVersion: "5"
          creationTimestamp: "2026-01-01T00:00:00Z"
        spec: {selector: {name: j}, toAdd: {count: 1}, script: /opt/add.sh}
        status:
          conditions:
          - type: %s
            status: "True"
            lastTransitionTime: "2026-01-01T00:00:01Z"
        """
            .formatted(uid, condition),
        ScaleOut.class);
  }

  private ReconciledTrainingJob reconciled(ScaleOut scaler) {
    JobWatch<TrainingJob> watch = mock();
    when(watch.others(job, ScaleIn.class)).thenReturn(List.of());
    when(watch.others(job, ScaleOut.class)).thenReturn(List.of(scaler));
    return kind.reconcile(
        new Seen<>(job, JobState.NEW, List.of(), Map.of(), watch, memory, null, Instant.EPOCH));
  }

  private Map<String, ScriptEnd> scripts(ScaleOut scaler) {
    return reconciled(scaler).observed(List.of()).scripts();
  }

  @Test
  void itIsKnownWhileThatIsCarriedOut() {
    assertThat(scripts(scaler("s", "Scaling"))).containsOnlyKeys("ScaleOut:ml/more");
  }

  /** Its script would not have been run, and with this one's fault it would have failed. */
  @Test
  void oneThatIsMadeAnewUnderItsNameHasItsScriptRun() {
    assertThat(scripts(scaler("t", "Created"))).isEmpty();
    assertThat(scripts(scaler("t", "Scaling"))).isEmpty();
  }

  /** The job was suspended meanwhile, say, and has another launcher. */
  @Test
  void soHasOneThatIsPutOff() {
    assertThat(scripts(scaler("s", "Created"))).isEmpty();
    assertThat(scripts(scaler("s", "Scaling"))).isEmpty();
  }
}
