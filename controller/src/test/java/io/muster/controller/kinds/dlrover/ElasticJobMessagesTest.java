package io.muster.controller.kinds.dlrover;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.core.engine.News;
import io.muster.controller.core.engine.News.Failed.Cause;
import io.muster.controller.core.state.Member;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kube.Remark;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Why a job has failed, in the words that its users know. */
final class ElasticJobMessagesTest {

  private static Member master(Member.Phase phase, Optional<Integer> exitCode) {
    return new Member(
        "elasticjob-j-dlrover-master-0",
        "uid",
        ElasticJob.MASTER,
        0,
        phase,
        false,
        Optional.of("n1"),
        Optional.empty(),
        Optional.empty(),
        exitCode,
        false);
  }

  private static String failure(Cause cause, int masterExitCode) {
    return ElasticJobMessages.failure(
        new ElasticJob(),
        List.of(master(Member.Phase.FAILED, Optional.of(masterExitCode))),
        new News.Failed(cause, "own words"));
  }

  @Test
  void aMasterThatFailsIsToldInDlroversWords() {
    assertThat(failure(Cause.MEMBER, 1))
        .isEqualTo("The job master elasticjob-j-dlrover-master-0 failed with exitcode=1.");
    assertThat(failure(Cause.EVICTED, 137))
        .isEqualTo("The job master failover count 1 is beyond the restart count 0.");
  }

  @Test
  void onlyAMasterThatIsRefusedIsToldInDlroversWords() {
    assertThat(refused(List.of())).isEqualTo("master pod created failed: quota");
    assertThat(refused(List.of(master(Member.Phase.FAILED, Optional.of(137)))))
        .isEqualTo("master pod created failed: quota");
    assertThat(refused(List.of(master(Member.Phase.RUNNING, Optional.empty()))))
        .isEqualTo("no pods for now: quota");
  }

  private static String refused(List<Member> members) {
    return ElasticJobMessages.remarks(new ElasticJob(), members, new News.Refused("quota"))
        .getFirst()
        .message();
  }

  private static List<Remark> warnings(int minimum, String nodes) {
    return ElasticJobMessages.warnings(
        Serialization.unmarshal(
            """
            apiVersion: elastic.iml.github.io/v1alpha1
            kind: ElasticJob
            metadata: {name: j, namespace: ml}
            spec:
              replicaSpecs:
                worker:
                  replicas: 4
                  template:
                    metadata:
                      annotations:
                        gang.scheduling.koordinator.sh/name: j
                        gang.scheduling.koordinator.sh/min-available: %d
                    spec:
                      containers:
                      - {name: main, image: any, command: [sh, -c, "dlrover-run --nnodes=%s x.py"]}
            """
                .formatted(minimum, nodes),
            ElasticJob.class));
  }

  @Test
  void aGangThatStartsWithFewerThanTrainIsWarnedOf() {
    assertThat(warnings(2, "3:$NODE_NUM"))
        .containsExactly(
            new Remark(
                true,
                "GangBelowNnodes",
                "the gang starts with 2 workers, and their command says --nnodes=3: with fewer they"
                    + " train nothing; raise min-available in the template to 3"));
    assertThat(warnings(3, "3:$NODE_NUM")).isEmpty();
    assertThat(warnings(2, "$FEWEST:4")).isEmpty();
  }

  @Test
  void tooFewWorkersAreToldAsTheyAreWhateverTheMasterDid() {
    assertThat(failure(Cause.TOO_FEW, 1)).isEqualTo("own words");
  }
}
