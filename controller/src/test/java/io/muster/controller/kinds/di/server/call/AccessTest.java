package io.muster.controller.kinds.di.server.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenReviewStatusBuilder;
import io.muster.controller.kinds.di.server.DiApi;
import io.muster.controller.kinds.di.server.PlayedCluster;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Who may call: by the address of a pod, or by a token. */
final class AccessTest {

  private static final String COORDINATOR = "qbert-coordinator";
  private static final String CLAIMANT = "10.8.8.8";

  private final PlayedCluster cluster = new PlayedCluster(PlayedCluster.COORDINATED);
  private final DiApi server =
      cluster.server(
          Optional.empty(),
          new Access(
              false,
              cluster,
              token -> Optional.of(token).filter(shown -> !shown.equals("forged"))));

  private DiReply get(String address, Optional<String> token) {
    return get("namespace=ml&coordinator=" + COORDINATOR, address, token);
  }

  private DiReply get(String query, String address, Optional<String> token) {
    return cluster
        .ask(
            server,
            new Call(
                "GET",
                "/v1alpha1/replicas",
                query,
                new byte[0],
                address,
                token,
                CompletableFuture::new))
        .join();
  }

  private String address() {
    return cluster.pods.get(COORDINATOR).getStatus().getPodIP();
  }

  @Test
  void aPodOfTheJobMayCallAndAStrangerMayNot() {
    cluster.run();
    assertThat(get(address(), Optional.empty()).isSuccess()).isTrue();
    assertThat(get("::ffff:" + address(), Optional.empty()).isSuccess()).isTrue();
    var refused = get("10.9.9.9", Optional.empty());
    assertThat(refused.status()).isEqualTo(403);
    assertThat(refused.message()).contains("kubectl create token");
  }

  @Test
  void aPodOfAnotherNamespaceThatNamesTheJobAsItsOwnerIsAStranger() {
    cluster.run();
    claimant(new PodBuilder(ownPod()).editMetadata().withNamespace("elsewhere").endMetadata());

    assertThat(get(CLAIMANT, Optional.empty()).status()).isEqualTo(403);
  }

  @Test
  void aPodThatTheJobDoesNotControlIsAStranger() {
    cluster.run();
    claimant(
        new PodBuilder(ownPod())
            .editMetadata()
            .editFirstOwnerReference()
            .withController(false)
            .endOwnerReference()
            .endMetadata());

    assertThat(get(CLAIMANT, Optional.empty()).status()).isEqualTo(403);
  }

  private Pod ownPod() {
    return cluster.pods.get(COORDINATOR);
  }

  /** One more pod, at an address of its own. */
  private void claimant(PodBuilder pod) {
    cluster.pods.put(
        "claimant",
        pod.editMetadata()
            .withName("claimant")
            .endMetadata()
            .editStatus()
            .withPodIP(CLAIMANT)
            .endStatus()
            .build());
  }

  @Test
  void aPodOnTheNetworkOfItsNodeIsNotRecognised() {
    cluster.run();
    cluster.pods.computeIfPresent(
        COORDINATOR,
        (_, pod) -> new PodBuilder(pod).editSpec().withHostNetwork(true).endSpec().build());
    assertThat(get(address(), Optional.empty()).status()).isEqualTo(403);
  }

  @Test
  void anAddressOfTwoPodsIsNobodys() {
    cluster.run();
    cluster.pods.put(
        "other",
        new PodBuilder(cluster.pods.get(COORDINATOR))
            .editMetadata()
            .withName("other")
            .endMetadata()
            .build());
    assertThat(get(address(), Optional.empty()).status()).isEqualTo(403);
  }

  @Test
  void aTokenReachesTheJobsOfItsNamespace() {
    cluster.run();
    assertThat(get("10.9.9.9", Optional.of("ml")).isSuccess()).isTrue();
    assertThat(get("10.9.9.9", Optional.of("di-system")).isSuccess()).isTrue();
    assertThat(get("10.9.9.9", Optional.of("elsewhere")).status()).isEqualTo(403);
    assertThat(get("10.9.9.9", Optional.of("forged")).status()).isEqualTo(403);
  }

  @Test
  void aPodDoesNotSeeOtherJobs() {
    cluster.run();
    assertThat(get("namespace=ml", address(), Optional.empty()).status()).isEqualTo(403);
    assertThat(get("", address(), Optional.empty()).status()).isEqualTo(403);
    assertThat(get("", "10.9.9.9", Optional.of("ml")).isSuccess()).isTrue();
    assertThat(get("namespace=ml", "10.9.9.9", Optional.of("elsewhere")).status()).isEqualTo(403);
  }

  /** Whether there is such a pod or job would show by the answer, and each guess cost a look. */
  @Test
  void whatIsInOtherNamespacesIsNotLookedUp() {
    cluster.run();
    for (var who :
        List.of(
            Map.entry(address(), Optional.<String>empty()),
            Map.entry("10.9.9.9", Optional.of("ml")))) {
      for (var query :
          List.of(
              "namespace=elsewhere&coordinator=nobody", "namespace=elsewhere&aggregator=nobody")) {
        var refused = get(query, who.getKey(), who.getValue());
        assertThat(refused.status()).isEqualTo(403);
        assertThat(refused.message())
            .startsWith("you may not reach anything in namespace elsewhere");
      }
    }
    var body = "{\"namespace\": \"elsewhere\", \"coordinator\": \"nobody\", \"learners\": %s}";
    assertThat(ask("POST", "/v1alpha1/replicas", body.formatted("{}"))).isEqualTo(403);
    assertThat(ask("DELETE", "/v1alpha1/replicas", body.formatted("{}"))).isEqualTo(403);
    assertThat(ask("POST", "/v1alpha1/replicas/failed", body.formatted("[\"x\"]"))).isEqualTo(403);
    assertThat(ask("GET", "/v2alpha1/job/elsewhere.nobody/replicas", "")).isEqualTo(403);
  }

  /** The status of the answer to the coordinator. */
  private int ask(String method, String path, String body) {
    return cluster
        .ask(
            server,
            new Call(
                method,
                path,
                "",
                body.getBytes(StandardCharsets.UTF_8),
                address(),
                Optional.empty(),
                CompletableFuture::new))
        .join()
        .status();
  }

  /** Checked by an API server that takes all tokens for good but those that are made up. */
  private static Tokens tokens(AtomicInteger asked, AtomicInteger second) {
    return new Tokens(
        token -> {
          asked.incrementAndGet();
          return new TokenReviewStatusBuilder()
              .withAuthenticated(!token.startsWith("made-up"))
              .withAudiences(token.equals("for another") ? "another" : "di-server")
              .withNewUser()
              .withUsername(token.equals("person") ? "jane" : "system:serviceaccount:ml:trainer")
              .endUser()
              .build();
        },
        () -> Instant.EPOCH.plusSeconds(second.get()));
  }

  @Test
  void aTokenIsCheckedOnceAMinute() {
    var asked = new AtomicInteger();
    var now = new AtomicInteger();
    var tokens = tokens(asked, now);
    assertThat(tokens.apply("good")).contains("ml");
    assertThat(tokens.apply("good")).contains("ml");
    assertThat(asked).hasValue(1);
    now.set(60);
    assertThat(tokens.apply("good")).contains("ml");
    assertThat(asked).hasValue(2);
    assertThat(tokens.apply("made-up")).isEmpty();
    assertThat(tokens.apply("for another")).isEmpty();
    assertThat(tokens.apply("person")).isEmpty();
  }

  @Test
  void aFloodOfMadeUpTokensCostsAFewChecksAndHoldsUpNoGoodOne() {
    var asked = new AtomicInteger();
    var now = new AtomicInteger();
    var tokens = tokens(asked, now);
    assertThat(tokens.apply("good")).contains("ml");
    asked.set(0);
    // Its check is a minute old now, and thousands of others have been refused since.
    now.set(100);
    int refused = 0;
    for (int i = 0; i < 5_000; i++) {
      try {
        assertThat(tokens.apply("made-up-" + i)).isEmpty();
      } catch (RefusedException e) {
        assertThat(e).hasMessage("too many unknown tokens are shown now; try again");
        refused++;
      }
    }
    assertThat(asked.get()).isEqualTo(5_000 - refused).isLessThan(50);

    assertThat(tokens.apply("good")).contains("ml");
    now.set(102);
    assertThat(tokens.apply("made-up-4999")).isEmpty();
  }

  @Test
  void nobodyIsRefusedWhereAccessIsOpen() {
    var open = new Access(true, cluster, _ -> Optional.empty());
    assertThat(open.of(PlayedCluster.call("GET", "/", "", "")).maySee("anything")).isTrue();
    var closed = new Access(false, cluster, _ -> Optional.empty());
    assertThatThrownBy(() -> closed.of(PlayedCluster.call("GET", "/", "", "")))
        .isInstanceOf(RefusedException.class);
  }
}
