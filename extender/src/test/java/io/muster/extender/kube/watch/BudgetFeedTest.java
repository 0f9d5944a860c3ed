package io.muster.extender.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.muster.extender.core.cluster.Budget;
import io.muster.extender.core.cluster.NodeTerm.Operator;
import io.muster.extender.core.cluster.NodeTerm.Requirement;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.kube.ScriptedApi;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

@EnableKubernetesMockClient(https = false, crud = true)
final class BudgetFeedTest {

  private KubernetesClient client;

  private static PodDisruptionBudgetBuilder budget() {
    return new PodDisruptionBudgetBuilder()
        .withNewMetadata()
        .withNamespace("ml")
        .withName("guard")
        .endMetadata();
  }

  private static PodDisruptionBudget guarding(int allowed) {
    return budget()
        .withNewSpec()
        .withNewSelector()
        .addToMatchLabels("app", "train")
        .addNewMatchExpression()
        .withKey("tier")
        .withOperator("NotIn")
        .withValues("test")
        .endMatchExpression()
        .endSelector()
        .endSpec()
        .withNewStatus()
        .withDisruptionsAllowed(allowed)
        .endStatus()
        .build();
  }

  private static Budget read(int allowed) {
    return new Budget(
        "ml",
        "guard",
        List.of(
            new Requirement("app", Operator.IN, Set.of("train")),
            new Requirement("tier", Operator.NOT_IN, Set.of("test"))),
        allowed);
  }

  @Test
  void budgetsAreToldAsTheyChangeAndGo() {
    var told = new CopyOnWriteArrayList<Event>();
    var listed = new AtomicInteger();
    try (var feed = new BudgetFeed(client, told::add, listed::incrementAndGet)) {
      feed.start();
      await().until(() -> listed.get() > 0);
      client.resource(guarding(1)).create();
      await().until(() -> told.contains(new Event.BudgetSeen(read(1))));
      client.resource(guarding(0)).update();
      await().until(() -> told.contains(new Event.BudgetSeen(read(0))));
      client.resource(guarding(0)).delete();
      await().until(() -> told.contains(new Event.BudgetGone("ml", "guard")));
    }
  }

  @Test
  void whereTheyMayNotBeReadNobodyWaitsForThem() {
    var listed = new AtomicInteger();
    try (var api = new ScriptedApi()) {
      api.on(
          "GET /apis/policy/v1/poddisruptionbudgets",
          403,
          ScriptedApi.refusal(403, "poddisruptionbudgets.policy is forbidden"));
      api.on(
          "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
          201,
          "{\"kind\":\"SelfSubjectAccessReview\",\"status\":{\"allowed\":false}}");
      try (var feed = new BudgetFeed(api.client(), _ -> {}, listed::incrementAndGet)) {
        feed.start();
        await().until(() -> listed.get() > 0);
      }
    }
  }

  @Test
  void whereTheApiserverIsInTroubleTheyAreWaitedFor() {
    var listed = new AtomicInteger();
    try (var api = new ScriptedApi()) {
      api.on(
          "GET /apis/policy/v1/poddisruptionbudgets",
          500,
          ScriptedApi.refusal(500, "etcd is away"));
      try (var feed = new BudgetFeed(api.client(), _ -> {}, listed::incrementAndGet)) {
        feed.start();
        await().until(() -> api.calls().size() > 1);
        assertThat(listed).hasValue(0);
      }
    }
  }

  @Test
  void oneWithoutSelectorCoversNothingAndAnEmptySelectorEverything() {
    assertThat(BudgetFeed.read(budget().build())).isEmpty();
    assertThat(BudgetFeed.read(budget().withNewSpec().endSpec().build())).isEmpty();
    assertThat(
            BudgetFeed.read(
                budget().withNewSpec().withNewSelector().endSelector().endSpec().build()))
        .contains(new Budget("ml", "guard", List.of(), 0));
  }
}
