package io.muster.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.e2e.GangManifest;
import io.muster.e2e.GangWatch;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two Muster processes, one of which leads, with a short lease; {@code deploy/verify leaders} does
 * the same with the default one.
 */
@ExtendWith(SandboxExtension.class)
@Order(1)
final class LeadersIT {

  private static final InstantSource CLOCK = InstantSource.system();
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final int LEASE_SECONDS = 8;
  private static final int BURST_SECONDS = 2;

  /** The lease and the time to notice its end, the burst, and kube-scheduler's longest backoff. */
  private static final Duration STATED =
      Duration.ofSeconds(LEASE_SECONDS + LEASE_SECONDS / 5 + BURST_SECONDS + 10 + 2);

  private static TwoMusters musters;
  private static GangWatch watch;

  @BeforeAll
  static void startTwo(Sandbox sandbox) {
    musters =
        TwoMusters.in(
            sandbox,
            CLOCK,
            Map.of("leaseDurationSeconds", LEASE_SECONDS, "bindTimeoutSeconds", BURST_SECONDS));
    watch = new GangWatch(sandbox.client(), CLOCK);
  }

  @AfterAll
  static void putOneBack() {
    watch.close();
    musters.close();
  }

  @ParameterizedTest
  @EnumSource(names = "PAUSED_BETWEEN_BINDINGS")
  void aGangIsWholeAndPlacedOnceWhenTheLeaderIsLost(LeaderSpot spot) {
    loseTheLeader(spot);
  }

  @Tag("long")
  @ParameterizedTest
  @EnumSource(names = {"KILLED_AT_THE_BARRIER", "ENDED_AT_THE_BARRIER", "LEASE_NOT_RENEWED"})
  void aGangIsWholeAndPlacedOnceWhenTheLeaseIsLost(LeaderSpot spot) {
    loseTheLeader(spot);
  }

  private static void loseTheLeader(LeaderSpot spot) {
    var outcome = LeaderRun.of(musters, watch, CLOCK, spot);

    System.out.println(outcome);
    assertThat(outcome.faults()).as(outcome.toString()).isEmpty();
    assertThat(outcome.whole()).isLessThan(STATED);
  }

  @Test
  void theOneThatFollowsAdmitsPodsAndTurnsKubeSchedulerAway(TestSpace space) throws IOException {
    musters.settle();
    var leader = musters.leader().orElseThrow();
    var follower = musters.other(leader);
    space.nodes(2, NodeShape.GPU1);
    var gang = GangManifest.of(space, "train", 2);
    musters.askingOnly(follower, gang::create);
    assertThat(musters.leads(follower)).isFalse();

    var pods = gang.stored();
    assertThat(pods)
        .as("it does for them what the leader would")
        .hasSize(2)
        .allMatch(pod -> "true".equals(pod.getMetadata().getLabels().get("muster.io/member")));
    Await.until("the gang to run", SOON, () -> gang.running() == 2);

    var endpoint = follower.process().endpoint();
    try (var scheduler =
        HttpClient.newBuilder().sslContext(TlsServer.of(endpoint).context()).build()) {
      var offer =
          "{\"Pod\":{\"metadata\":{\"name\":\"p\",\"namespace\":\"n\",\"uid\":\"u\"}},"
              + "\"NodeNames\":[\"n1\"]}";
      assertThat(post(scheduler, endpoint.urlPrefix() + "/filter", offer))
          .contains("\"NodeNames\":[]")
          .contains("does not lead");
      assertThat(
              post(
                  scheduler,
                  endpoint.urlPrefix() + "/bind",
                  "{\"PodName\":\"p\",\"PodNamespace\":\"n\",\"PodUID\":\"u\",\"Node\":\"n1\"}"))
          .contains("does not lead");
    }
    try (var idle = TlsServer.of(endpoint).connect()) {
      idle.setSoTimeout((int) SOON.toMillis());
      idle.getOutputStream().write('P');
      // The end of the stream, or a connection that was reset: both within a second.
      var ended = Await.within(SOON, () -> hasEnded(idle));
      assertThat(ended).isTrue();
    }
  }

  /** What kube-proxy follows: the first of the rounds ends orderly, the second is killed. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theNextLeaderTakesTheEndpointOfTheServiceOver(boolean isOrderly) {
    musters.settle();
    var leader = musters.leader().orElseThrow();
    var next = musters.other(leader);

    if (isOrderly) {
      leader.process().terminate(SOON);
    } else {
      leader.process().kill();
    }

    Await.until("the other to lead", SOON, () -> musters.leads(next));
    Await.until("its endpoint", SOON, () -> musters.endpoint().equals(Optional.of(next)));
    leader.process().start();
    assertThat(musters.leads(leader)).isFalse();
    assertThat(musters.endpoint()).contains(next);
  }

  @Test
  void anEndpointThatSomebodyTookAwayComesBack() {
    musters.settle();
    var leader = musters.leader().orElseThrow();

    musters.endpointSlice().delete();

    Await.until("it to be back", SOON, () -> musters.endpoint().equals(Optional.of(leader)));
  }

  @Test
  void aGangOfManyIsHeldOnFewConnections(TestSpace space) {
    int members = 48;
    musters.settle();
    space.nodes(members / NodeShape.GPU8.gpus(), NodeShape.GPU8);
    musters.toLeader().mostOpen();
    var gang = GangManifest.of(space, "large", members);
    gang.create();

    Await.until("the gang to run", SOON, () -> gang.running() == members);
    assertThat(musters.toLeader().mostOpen()).isBetween(1, 4);
  }

  private static boolean hasEnded(Socket socket) {
    try {
      return socket.getInputStream().read() < 0;
    } catch (IOException _) {
      return true;
    }
  }

  /** Again where the follower ends the connection under a slow call. */
  private static String post(HttpClient client, String url, String body) {
    var request =
        HttpRequest.newBuilder(URI.create(url))
            .timeout(SOON)
            .POST(BodyPublishers.ofString(body))
            .build();
    var answer = new AtomicReference<String>();
    Await.until(
        "an answer from " + url,
        SOON,
        () -> {
          try {
            answer.set(client.send(request, BodyHandlers.ofString()).body());
            return true;
          } catch (IOException _) {
            return false;
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });
    return answer.get();
  }
}
