package io.muster.controller.kube.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import io.muster.controller.kinds.paddle.api.PaddleJob;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** By when pods shall have left their nodes. */
final class LeavingNodesTest {

  private static final Instant START = Instant.parse("2030-01-01T00:00:00Z");

  private Instant now = START;
  private final LeavingNodes nodes =
      new LeavingNodes(
          new LeavingNodes.Settings(
              SignalTable.builtIn(), Duration.ofMinutes(2), Duration.ofSeconds(30)),
          () -> now);
  private final List<String> changed = new ArrayList<>();

  private static Node node() {
    return new NodeBuilder()
        .withNewMetadata()
        .withName("n")
        .addToLabels(LeavingNodes.HOSTNAME, "host")
        .endMetadata()
        .build();
  }

  private static Node tainted() {
    return new NodeBuilder(node())
        .withNewSpec()
        .addNewTaint("NoSchedule", "karpenter.sh/disrupted", null, null)
        .endSpec()
        .build();
  }

  private static Node announced(Node node, String time) {
    return new NodeBuilder(node)
        .editMetadata()
        .addToAnnotations("muster.io/release-at", time)
        .endMetadata()
        .build();
  }

  private static Pod pod() {
    return new PodBuilder().withNewSpec().withNodeName("n").endSpec().build();
  }

  @Test
  void twoMinutesAfterASignalThatSaysNoTime() {
    nodes.see(tainted());
    assertThat(nodes.deadline(pod())).contains(START.plusSeconds(120));
    assertThat(nodes.hostnames()).containsExactly("host");
    now = START.plusSeconds(60);
    nodes.see(tainted());
    assertThat(nodes.deadline(pod())).contains(START.plusSeconds(120));
  }

  @Test
  void halfAMinuteBeforeAnAnnouncedReleaseWhateverElseIsSaid() {
    nodes.see(announced(tainted(), "2030-01-01T01:00:00Z"));
    assertThat(nodes.deadline(pod())).contains(Instant.parse("2030-01-01T00:59:30Z"));
  }

  @Test
  void aPodWithoutANodeOrOnAnotherMayStay() {
    nodes.see(tainted());
    assertThat(nodes.deadline(new PodBuilder().withNewSpec().endSpec().build())).isEmpty();
    assertThat(nodes.deadline(new PodBuilder().withNewSpec().withNodeName("m").endSpec().build()))
        .isEmpty();
  }

  @Test
  void whenTheSignalGoesThePodMayStayAndALaterOneBeginsAnew() {
    nodes.see(tainted());
    nodes.see(node());
    assertThat(nodes.deadline(pod())).isEmpty();
    assertThat(nodes.hostnames()).isEmpty();
    now = START.plusSeconds(600);
    nodes.see(tainted());
    assertThat(nodes.deadline(pod())).contains(START.plusSeconds(720));
    nodes.forget(node());
    assertThat(nodes.deadline(pod())).isEmpty();
  }

  @Test
  void aPodThatIsToBeDisruptedLeavesToo() {
    var pod =
        new PodBuilder(pod())
            .withNewStatus()
            .addNewCondition()
            .withType("DisruptionTarget")
            .withStatus("True")
            .withLastTransitionTime("2030-01-01T00:00:10Z")
            .endCondition()
            .endStatus()
            .build();
    assertThat(nodes.deadline(pod)).contains(START.plusSeconds(130));
    nodes.see(tainted());
    assertThat(nodes.deadline(pod)).contains(START.plusSeconds(120));
    pod.getStatus().getConditions().getFirst().setStatus("False");
    nodes.see(node());
    assertThat(nodes.deadline(pod)).isEmpty();
  }

  @Test
  void onlyWhatChangesIsPassedOn() {
    nodes.onChange(changed::add);
    nodes.see(node());
    nodes.see(node());
    assertThat(changed).isEmpty();
    nodes.see(tainted());
    nodes.see(tainted());
    assertThat(changed).hasSize(1);
    nodes.see(announced(tainted(), "2030-01-01T01:00:00Z"));
    nodes.see(node());
    assertThat(changed).containsExactly("n", "n", "n");
  }

  /** A kind that is begun anew has other watches, and those hold all that they have read. */
  @Test
  void whatIsToldAndWasStoppedIsLetGoOf() throws InterruptedException {
    InformerEventSource<Pod, PaddleJob> pods = mock();
    EventSource<?, PaddleJob> source = nodes.source(pods, _ -> Set.of());
    source.start();
    source.stop();
    var left = new WeakReference<>(source);
    source = null;
    for (int look = 0; look < 100 && left.get() != null; look++) {
      System.gc();
      Thread.sleep(50);
    }

    assertThat(left.get()).isNull();
  }
}
