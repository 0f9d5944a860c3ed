package io.muster.controller.kube;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.GangReport;
import io.muster.extender.core.protocol.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Whether a job's gang has its places, and if not, why not. */
final class GangSightTest {

  private static final Optional<GangReport> NO_ROOM =
      Optional.of(
          new GangReport(
              Phase.WAITING, 4, 0, Reason.NO_ROOM, "no room for 2 members together", "add nodes"));

  private static Pod pod(String node, String phase) {
    return new PodBuilder()
        .withNewMetadata()
        .withName("w")
        .endMetadata()
        .withNewSpec()
        .withNodeName(node)
        .endSpec()
        .withNewStatus()
        .withPhase(phase)
        .endStatus()
        .build();
  }

  /** Pods that have failed keep their node, and hold nothing there. */
  @Test
  void thoseThatHaveEndedHaveNoPlace() {
    var pods = new ArrayList<>(List.of(pod("n1", "Failed"), pod("n1", "Failed")));
    for (int i = 0; i < 4; i++) {
      pods.add(pod(null, "Pending"));
    }

    var sight = GangSight.of(pods, 2, NO_ROOM);

    assertThat(sight.isPlaced()).isFalse();
    assertThat(sight.reason()).contains("no room for 2 members together; add nodes");
    assertThat(sight.again()).isPresent();
  }

  @Test
  void asManyAsAreNeededMustHaveThem() {
    var pods = List.of(pod("n1", "Running"), pod(null, "Pending"));

    assertThat(GangSight.of(pods, 1, Optional.empty()).isPlaced()).isTrue();
    var sight = GangSight.of(pods, 2, Optional.empty());
    assertThat(sight.isPlaced()).isFalse();
    assertThat(sight.reason()).as("nobody says why").isEmpty();
    assertThat(sight.count()).isEqualTo("1 member has its place, and 2 are needed");
  }

  @Test
  void whoHadThemAndHasThemNoMoreSaysSo() {
    var conditions = new Conditions(List.of(), Instant.EPOCH);
    GangSight.of(List.of(pod("n1", "Running")), 1, Optional.empty()).note(conditions);
    assertThat(conditions.list().getFirst().status()).isEqualTo("True");

    GangSight.of(List.of(pod(null, "Pending")), 1, Optional.empty()).note(conditions);

    assertThat(conditions.list())
        .singleElement()
        .satisfies(condition -> assertThat(condition.status()).isEqualTo("False"));
    GangSight.of(List.of(pod(null, "Pending")), 1, NO_ROOM).note(conditions);
    assertThat(conditions.list())
        .singleElement()
        .satisfies(condition -> {
          assertThat(condition.reason()).isEqualTo(Reason.NO_ROOM.code());
          assertThat(condition.message()).startsWith("no room for 2 members");
        });
  }

  @Test
  void whileItsFirstAttemptIsUnderWayNobodyCanTell() {
    var report =
        new GangReport(Phase.WAITING, 2, 0, Reason.HELD_OFF, "places are being looked for", "");

    var sight = GangSight.of(List.of(pod(null, "Pending")), 2, Optional.of(report));

    assertThat(sight.obstacle()).isEmpty();
    assertThat(sight.again()).contains(Duration.ofSeconds(2));
  }
}
