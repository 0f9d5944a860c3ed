package io.muster.controller.kinds.etoperator.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.kinds.etoperator.api.TrainingJob;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A job whose templates somebody has changed. */
final class LiveTemplatesTest {

  private static TrainingJob job(String ports) {
    return Serialization.unmarshal(
        """
        apiVersion: kai.alibabacloud.com/v1alpha1
        kind: TrainingJob
        metadata: {name: j, namespace: ml, uid: u}
        spec:
          etReplicaSpecs:
            launcher: {template: {spec: {containers: [{name: main, image: mine}]}}}
            worker: {template: {spec: {containers: [{name: trains, ports: %s}]}}}
        """
            .formatted(ports),
        TrainingJob.class);
  }

  private static final Pod WORKER =
      Serialization.unmarshal(
          """
          apiVersion: v1
          kind: Pod
          metadata: {name: j-worker-0, labels: {training-job-role: worker}}
          spec: {containers: [{name: trained, resources: {limits: {nvidia.com/gpu: 8}}}]}
          """,
          Pod.class);

  private static String main(PodTemplateSpec template) {
    return template.getSpec().getContainers().getFirst().getName();
  }

  private static String mainWorker(TrainingJob job) {
    return main(job.getSpec().etReplicaSpecs().worker().template());
  }

  private static String mainLauncher(TrainingJob job) {
    return main(job.getSpec().etReplicaSpecs().launcher().template());
  }

  @Test
  void itsPodsSayWhatItWas() {
    var live = LiveTemplates.of(job("8080"), List.of(WORKER));
    assertThat(TrainingJobSpecMapper.slots(live)).isEqualTo(8);
    assertThat(mainWorker(live)).isEqualTo("trained");
  }

  @Test
  void withoutPodsItIsReadAllTheSame() {
    assertThat(TrainingJobSpecMapper.slots(LiveTemplates.of(job("8080"), List.of()))).isEqualTo(1);
  }

  @Test
  void oneThatCanBeReadCounts() {
    var job = job("[]");
    assertThat(LiveTemplates.of(job, List.of(WORKER))).isSameAs(job);
  }

  private static Pod launcher(String main) {
    return Serialization.unmarshal(
        """
        apiVersion: v1
        kind: Pod
        metadata: {name: j-launcher, labels: {training-job-role: launcher}}
        spec:
          containers:
          - {name: injected}
          - {name: %s, volumeMounts: [{name: training-job-hostfile, mountPath: /etc/edl}]}
        """
            .formatted(main),
        Pod.class);
  }

  /** What is run in the launcher is run where its list of workers is. */
  @Test
  void aLauncherThatRunsHasTheContainerThatItsTemplateHad() {
    var live = LiveTemplates.of(job("[]"), List.of(WORKER, launcher("before")));
    assertThat(mainLauncher(live)).isEqualTo("before");
    assertThat(mainWorker(live)).isEqualTo("trains");
  }

  @Test
  void ofALauncherThatIsAsItsTemplateNothingIsChanged() {
    var job = job("[]");
    assertThat(LiveTemplates.of(job, List.of(launcher("main")))).isSameAs(job);
  }
}
