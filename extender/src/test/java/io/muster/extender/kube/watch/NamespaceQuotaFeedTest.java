package io.muster.extender.kube.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.ResourceQuotaBuilder;
import io.fabric8.kubernetes.api.model.ResourceQuotaListBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.extender.core.cluster.NamespaceQuota;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.kube.ScriptedApi;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

@EnableKubernetesMockClient(https = false, crud = true)
final class NamespaceQuotaFeedTest {

  private static final String GPU = "requests.nvidia.com/gpu";

  private static final String RIGHTS =
      "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews";

  private KubernetesClient client;

  private static ResourceQuota quota(Map<String, String> hard, Map<String, String> used) {
    var quota =
        new ResourceQuotaBuilder()
            .withNewMetadata()
            .withNamespace("ml")
            .withName("limits")
            .endMetadata()
            .withNewSpec()
            .endSpec()
            .withNewStatus()
            .endStatus()
            .build();
    hard.forEach((name, amount) -> quota.getSpec().getHard().put(name, new Quantity(amount)));
    used.forEach((name, amount) -> quota.getStatus().getUsed().put(name, new Quantity(amount)));
    return quota;
  }

  private static Event leaving(long devices) {
    return new Event.NamespaceQuotaSeen(
        new NamespaceQuota("ml", "limits", Map.of("nvidia.com/gpu", devices)));
  }

  /** A pod without devices changes the status too. */
  @Test
  void whatIsLeftOfDevicesIsToldWhenItChangesAndNotOtherwise() {
    var gone = new Event.NamespaceQuotaGone("ml", "limits");
    var told = new CopyOnWriteArrayList<Event>();
    var listed = new AtomicInteger();
    try (var feed = new NamespaceQuotaFeed(client, told::add, listed::incrementAndGet)) {
      feed.start();
      await().until(() -> listed.get() > 0);
      var hard = Map.of(GPU, "8", "pods", "9");
      client.resource(quota(hard, Map.of())).create();
      await().until(() -> told.contains(leaving(8)));
      client.resource(quota(hard, Map.of(GPU, "0", "pods", "1"))).update();
      client.resource(quota(hard, Map.of(GPU, "0", "pods", "2"))).update();
      client.resource(quota(hard, Map.of(GPU, "3", "pods", "3"))).update();
      await().until(() -> told.contains(leaving(5)));
      client.resource(quota(Map.of("pods", "9"), Map.of())).update();
      await().until(() -> told.contains(gone));
      client.resource(quota(Map.of("pods", "9"), Map.of("pods", "1"))).update();
      client.resource(quota(hard, Map.of(GPU, "8"))).update();
      await().until(() -> told.contains(leaving(0)));
      client.resource(quota(hard, Map.of())).delete();
      await().until(() -> told.getLast().equals(gone));
    }
    assertThat(told).containsExactly(leaving(8), leaving(5), gone, leaving(0), gone);
  }

  @Test
  void whereTheyMayNotBeReadThatIsSaidOnceAndNobodyWaitsForThem() {
    var listed = new AtomicInteger();
    var said = new ListAppender<ILoggingEvent>();
    said.list = new CopyOnWriteArrayList<>();
    said.start();
    var log = (Logger) LoggerFactory.getLogger(SideWatches.class);
    log.addAppender(said);
    try (var api = new ScriptedApi()) {
      api.on(
          "GET /api/v1/resourcequotas",
          403,
          ScriptedApi.refusal(403, "resourcequotas is forbidden"));
      api.on(RIGHTS, 201, "{\"kind\":\"SelfSubjectAccessReview\",\"status\":{\"allowed\":false}}");
      try (var feed = new NamespaceQuotaFeed(api.client(), _ -> {}, listed::incrementAndGet)) {
        feed.start();
        await().until(() -> listed.get() > 2);
      }
    } finally {
      log.detachAppender(said);
    }
    assertThat(said.list)
        .filteredOn(line -> line.getKeyValuePairs().toString().contains("ResourceQuota"))
        .hasSize(1);
  }

  /** It refuses everything until it has read all roles, and to say what anybody may, too. */
  @Test
  void anApiServerThatHasJustStartedIsWaitedFor() {
    var told = new CopyOnWriteArrayList<Event>();
    var toldWhenListed = new CopyOnWriteArrayList<Integer>();
    var path = "GET /api/v1/resourcequotas";
    var quotas =
        new ResourceQuotaListBuilder()
            .withNewMetadata()
            .withResourceVersion("1")
            .endMetadata()
            .withItems(quota(Map.of(GPU, "8"), Map.of()));
    try (var api = new ScriptedApi()) {
      api.on(path, 403, ScriptedApi.refusal(403, "no rights are known"));
      api.on(path, 403, ScriptedApi.refusal(403, "no rights are known"));
      api.on(path, 200, Serialization.asJson(quotas.build()));
      api.on(RIGHTS, 403, ScriptedApi.refusal(403, "no rights are known"));
      try (var feed =
          new NamespaceQuotaFeed(api.client(), told::add, () -> toldWhenListed.add(told.size()))) {
        feed.start();
        await().until(() -> !toldWhenListed.isEmpty());
      }
    }
    assertThat(toldWhenListed.getFirst()).isEqualTo(1);
    assertThat(told).first().isEqualTo(leaving(8));
  }

  @ParameterizedTest
  @CsvSource({
    "8, 3, 5",
    "8, , 8",
    "3, 8, 0",
    "0, 0, 0",
    "2500m, 1, 1",
    "3, 500m, 2",
    "-1, 0, 0",
    "none, 0, 0",
    "8, none, 8",
    "1e30, 1, 140737488355326",
    "9223372036854775807, 0, 140737488355327",
    "1, 1e30, 0",
    "1e-30, 0, 0",
    "1e999999999, 0, 140737488355327",
  })
  void whatIsLeftIsAWholeNumberWhateverStandsThere(String hard, String used, long left) {
    var uses = used == null ? Map.<String, String>of() : Map.of(GPU, used);
    assertThat(NamespaceQuotaFeed.read(quota(Map.of(GPU, hard), uses)))
        .contains(new NamespaceQuota("ml", "limits", Map.of("nvidia.com/gpu", left)));
  }

  @Test
  void onlyRequestsOfAcceleratorsAreRead() {
    var hard =
        Map.of(
            "requests.cpu", "1", "nvidia.com/gpu", "1", "limits.nvidia.com/gpu", "1", "pods", "1");
    assertThat(NamespaceQuotaFeed.read(quota(hard, Map.of()))).isEmpty();
    assertThat(
            NamespaceQuotaFeed.read(
                quota(Map.of(GPU, "2", "requests.nvidia.com/mig-1g.5gb", "3"), Map.of())))
        .contains(
            new NamespaceQuota(
                "ml", "limits", Map.of("nvidia.com/gpu", 2L, "nvidia.com/mig-1g.5gb", 3L)));
  }

  @Test
  void oneThatIsForSomePodsOnlyIsPassedOver() {
    var scoped = quota(Map.of(GPU, "0"), Map.of());
    scoped.getSpec().setScopes(List.of("BestEffort"));
    assertThat(NamespaceQuotaFeed.read(scoped)).isEmpty();
    var selecting =
        quota(Map.of(GPU, "0"), Map.of()).toBuilder()
            .editSpec()
            .withNewScopeSelector()
            .addNewMatchExpression()
            .withScopeName("PriorityClass")
            .withOperator("Exists")
            .endMatchExpression()
            .endScopeSelector()
            .endSpec()
            .build();
    assertThat(NamespaceQuotaFeed.read(selecting)).isEmpty();
  }
}
