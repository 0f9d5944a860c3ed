package io.muster.controller.framework;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.muster.controller.core.engine.Action;
import io.muster.controller.kube.Marks;
import io.muster.extender.core.gang.GangKeys;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** A gang knows before its members go that they were given back. */
@EnableKubernetesMockClient(https = false, crud = true)
final class GivenBackTest {

  private KubernetesClient client;

  private Pod pod(String name) {
    return client
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace("n")
                .withLabels(new HashMap<>(Map.of("of", "q")))
                .withAnnotations(Map.of(GangKeys.NAME, "q-1", GangKeys.MIN, "3"))
                .endMetadata()
                .withNewSpec()
                .endSpec()
                .build())
        .create();
  }

  private List<PendingSteps.Step> steps(List<Pod> pods, int enough, Pod... deleted) {
    var actions = new ArrayList<Action>();
    for (var pod : deleted) {
      actions.add(new Action.Delete(pod.getMetadata().getName(), pod.getMetadata().getUid()));
    }
    return new GivenBack(new JobWrites(client, () -> Instant.EPOCH))
        .steps(pods, Map.of("q-1", enough), actions);
  }

  private String said(String name) {
    var pod = client.pods().inNamespace("n").withName(name).get();
    // An apiserver takes a label away that is null in a patch; this one keeps it so.
    return Objects.requireNonNullElse(Marks.labels(pod).get(GangKeys.ENOUGH), "");
  }

  @Test
  void isSaidOnOneThatStays() {
    var pods = List.of(pod("a"), pod("b"), pod("c"));

    steps(pods, 1, pods.get(0), pods.get(1)).forEach(PendingSteps.Step::take);

    assertThat(List.of(said("a"), said("b"), said("c"))).containsExactly("", "", "1");
  }

  @Test
  void isNotSaidAgainNorWhereAllAreNeededOrNoneIsLeft() {
    var pods = List.of(pod("a"), pod("b"), pod("c"));
    assertThat(steps(pods, 3)).isEmpty();
    assertThat(steps(pods, 0, pods.toArray(Pod[]::new))).isEmpty();

    steps(pods, 2).forEach(PendingSteps.Step::take);
    var seen = client.pods().inNamespace("n").list().getItems();

    assertThat(steps(seen, 2)).isEmpty();
  }

  @Test
  void isTakenBackWhenTheJobGrowsAgain() {
    var pods = List.of(pod("a"), pod("b"), pod("c"));
    steps(pods, 1).forEach(PendingSteps.Step::take);
    steps(client.pods().inNamespace("n").list().getItems(), 2).forEach(PendingSteps.Step::take);
    assertThat(said("a")).isEqualTo("2");

    steps(client.pods().inNamespace("n").list().getItems(), 3).forEach(PendingSteps.Step::take);

    assertThat(said("a")).isEmpty();
    assertThat(Marks.labels(client.pods().inNamespace("n").withName("a").get()))
        .containsEntry("of", "q");
  }
}
