package io.muster.controller.framework;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.muster.controller.core.engine.News;
import io.muster.controller.core.state.Member;
import io.muster.controller.kube.Remark;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What comes about several times is one Event with a count, and is counted once each time. */
@EnableKubernetesMockClient(https = false, crud = true)
final class JobEventsTest {

  private static final News LOST = new News.MemberLost("j-trainer-3", "has failed");
  private static final List<Remark> REMARKS =
      List.of(new Remark(true, "PodLost", "pod j-trainer-3 has failed"));

  private KubernetesClient client;
  private JobMemory memory = new JobMemory();
  private Instant now = Instant.parse("2026-01-01T00:00:00Z");

  private final ConfigMap job =
      new ConfigMapBuilder()
          .withNewMetadata()
          .withName("j")
          .withNamespace("n")
          .withUid("job")
          .endMetadata()
          .build();

  private JobEvents events() {
    return new JobEvents(client, () -> now, "muster");
  }

  private void lost(String uid) {
    memory.afterDeletions(
        List.of(
            new Member(
                "j-trainer-3",
                uid,
                "trainer",
                3,
                Member.Phase.FAILED,
                false,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                false)));
    events().tell(job, LOST, REMARKS, memory);
    now = now.plusSeconds(30);
  }

  private Event event() {
    var all = client.v1().events().inNamespace("n").list().getItems();
    assertThat(all).hasSize(1);
    return all.getFirst();
  }

  @Test
  void aCrashLoopOfOneNameIsCounted() {
    lost("a");
    lost("a");
    lost("b");
    lost("c");

    assertThat(event().getCount()).isEqualTo(3);
    assertThat(event().getFirstTimestamp()).isEqualTo("2026-01-01T00:00:00Z");
    assertThat(event().getLastTimestamp()).isEqualTo("2026-01-01T00:01:30Z");
  }

  /** The pod is gone by the time that it is missed: who it was is remembered. */
  @Test
  void soAreDeletionsThatNobodySees() {
    lost("a");
    memory.afterDeletions(List.of());
    events().tell(job, LOST, REMARKS, memory);
    assertThat(event().getCount()).isEqualTo(1);
    lost("b");
    assertThat(event().getCount()).isEqualTo(2);
  }

  @Test
  void aRestartTellsNothingAgain() {
    var waiting = new Remark(true, "TrainingJobWaiting", "no room for 2 workers together");
    for (int life = 0; life < 5; life++) {
      memory = new JobMemory();
      lost("a");
      events().leaveOnce(job, waiting, memory);
    }

    assertThat(client.v1().events().inNamespace("n").list().getItems())
        .hasSize(2)
        .allMatch(event -> event.getCount() == 1);
  }

  @Test
  void anotherTextIsAnotherEvent() {
    lost("a");
    events().leave(job, new Remark(true, "PodLost", "pod j-trainer-4 has failed"));

    assertThat(client.v1().events().inNamespace("n").list().getItems()).hasSize(2);
  }

  @Test
  void whatIsRememberedIsBounded() {
    for (int i = 0; i < 5_000; i++) {
      assertThat(memory.isNew(REMARKS.getFirst(), "uid-" + i)).isTrue();
    }
    assertThat(memory.isNew(REMARKS.getFirst(), "uid-4999")).isFalse();
    assertThat(memory.isNew(REMARKS.getFirst(), "uid-0")).as("long forgotten").isTrue();
  }
}
