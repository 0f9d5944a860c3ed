package io.muster.controller.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.kinds.dlrover.job.ElasticJobMembers;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whose a pod is that names several owners. */
final class OwnershipTest {

  private static Pod pod(String owners) {
    return Serialization.unmarshal(
        """
        metadata:
          name: p
          uid: p
          labels: {elasticjob.dlrover/replica-type: worker, elasticjob.dlrover/replica-index: "0"}
          ownerReferences: [%s]
        spec: {}
        """
            .formatted(owners),
        Pod.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {uid: job, controller: true}                            | true
          {uid: job}                                              | true
          {uid: job}, {uid: other}                                | true
          {uid: other}, {uid: job, controller: true}              | true
          {uid: other, controller: true}                          | false
          {uid: other, controller: true}, {uid: job}              | false
          {uid: job, controller: false}, {uid: x, controller: true} | false
          """)
  void whatAnotherControlsIsNoMemberOfTheJob(String owners, boolean isOwned) {
    assertThat(Ownership.isOwned(pod(owners), "job")).isEqualTo(isOwned);
    assertThat(ElasticJobMembers.of(pod(owners), "job").isPresent()).isEqualTo(isOwned);
  }
}
