package io.muster.extender.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.extender.core.gang.TermsObject;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class OwnerSizeTest {

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "JOB | {completionMode: Indexed, parallelism: 4, completions: 4} | 4",
        "JOB | {completionMode: Indexed, parallelism: 4, completions: 2} | 2",
        "JOB | {completionMode: Indexed, parallelism: 4} | 4",
        "JOB | {completionMode: Indexed, parallelism: 1, completions: 9} | 0",
        "JOB | {completionMode: NonIndexed, parallelism: 4} | 0",
        "JOB | {} | 0",
        "JOB_SET | {replicatedJobs: [{replicas: 2, template: {spec: {parallelism: 3, completions: 3}}}, {template: {spec: {}}}]} | 7",
        "JOB_SET | {startupPolicy: {startupPolicyOrder: InOrder}, replicatedJobs: [{replicas: 2, template: {spec: {}}}]} | 0",
        "JOB_SET | {replicatedJobs: [{replicas: 2, dependsOn: [{name: a}], template: {spec: {}}}]} | 0",
        "JOB_SET | {} | 0",
        "PYTORCH_JOB | {pytorchReplicaSpecs: {Master: {}, Worker: {replicas: 3}}} | 4",
        "PYTORCH_JOB | {elasticPolicy: {minReplicas: 2}, pytorchReplicaSpecs: {Worker: {replicas: 4}}} | 2",
        "PYTORCH_JOB | {runPolicy: {schedulingPolicy: {minAvailable: 3}}, pytorchReplicaSpecs: {Worker: {replicas: 4}}} | 3",
        "MPI_JOB | {mpiReplicaSpecs: {Launcher: {replicas: 1}, Worker: {replicas: 4}}} | 4",
        "MPI_JOB | {runPolicy: {schedulingPolicy: {minAvailable: 5}}, mpiReplicaSpecs: {Worker: {replicas: 4}}} | 4",
        "RAY_CLUSTER | {workerGroupSpecs: [{replicas: 2}, {replicas: 3, numOfHosts: 2}]} | 9",
        "RAY_CLUSTER | {enableInTreeAutoscaling: true, workerGroupSpecs: [{replicas: 5, minReplicas: 1}]} | 2",
        "RAY_CLUSTER | {} | 0",
        "LEADER_WORKER_SET | {leaderWorkerTemplate: {size: 4}} | 4",
        "LEADER_WORKER_SET | {startupPolicy: LeaderReady, leaderWorkerTemplate: {size: 4}} | 0",
        "LEADER_WORKER_SET | {leaderWorkerTemplate: {size: 1}} | 0",
        "LEADER_WORKER_SET | {} | 0"
      })
  void isHowManyStartTogether(TermsObject.Kind kind, String spec, long size) {
    assertThat(OwnerSize.of(kind, Serialization.unmarshal("---\n" + spec, JsonNode.class)))
        .isEqualTo(size == 0 ? Optional.empty() : Optional.of(size));
  }

  @ParameterizedTest
  @CsvSource({"other/key, true", "leaderworkerset.sigs.k8s.io/exclusive-topology, false"})
  void eachGroupIsAGangUnlessItsWorkersComeAfterItsLeaderHasANode(String annotation, boolean is) {
    var set =
        Serialization.unmarshal(
            """
            metadata: {annotations: {%s: rack}}
            spec: {replicas: 2000000000, leaderWorkerTemplate: {size: 4}}
            """
                .formatted(annotation),
            JsonNode.class);
    var kind =
        TermsKind.ALL.stream()
            .filter(each -> each.kind() == TermsObject.Kind.LEADER_WORKER_SET)
            .findFirst()
            .orElseThrow();
    var terms = kind.read("ml", "serve", set);
    // However many groups it says that there are, it is told of once.
    assertThat(terms.keySet())
        .containsExactly(new TermsObject(TermsObject.Kind.LEADER_WORKER_SET, "ml", "serve"));
    assertThat(terms.values()).allMatch(each -> each.isPresent() == is);
  }
}
