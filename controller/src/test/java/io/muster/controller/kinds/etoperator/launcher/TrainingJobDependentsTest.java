package io.muster.controller.kinds.etoperator.launcher;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ServicePort;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.kinds.etoperator.api.TrainingJob;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a job has beside its pods, as far as it depends on how its launcher reaches its workers. */
final class TrainingJobDependentsTest {

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
              template: {spec: {containers: [{name: main}]}}
            worker:
              template: {spec: {containers: [{name: trainer}, {name: side}]}}
        """
            .formatted(mode),
        TrainingJob.class);
  }

  private static List<PolicyRule> execRules(String... workers) {
    return TrainingJobDependents.role(job("kubexec"), List.of(workers)).getRules().stream()
        .filter(rule -> rule.getResources().contains("pods/exec"))
        .toList();
  }

  @Test
  void aLauncherMayRunCommandsInItsWorkersOnly() {
    assertThat(execRules("j-worker-0", "j-worker-2"))
        .singleElement()
        .satisfies(rule -> {
          assertThat(rule.getResourceNames()).containsExactly("j-worker-0", "j-worker-2");
          assertThat(rule.getVerbs()).containsExactlyInAnyOrder("create", "get");
        });
  }

  /** A rule without names is about every pod there is. */
  @Test
  void aLauncherWithoutWorkersMayRunCommandsNowhere() {
    assertThat(execRules()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"ssh, '22 9009'", "kubexec, 9009"})
  void aWorkerHasAPortForSshOnlyWhereItIsReachedBySsh(String mode, String ports) {
    var service = TrainingJobDependents.service(job(mode), "j-worker-0", 0);
    assertThat(service.getSpec().getPorts().stream().map(ServicePort::getPort).map(String::valueOf))
        .containsExactly(ports.split(" "));
  }

  @Test
  void commandsRunInTheWorkersFirstContainer() {
    assertThat(TrainingJobDependents.config(job("kubexec"), List.of()).getData().get("kubexec.sh"))
        .startsWith("#!/bin/sh\n")
        .contains("\ncontainer=trainer\n")
        .doesNotContain("@CONTAINER@");
  }
}
