package io.muster.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.e2e.GangManifest;
import io.muster.e2e.GangWatch;
import io.muster.faults.KillPoint.Moment;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests and replies that get lost or are refused, between three processes that all live on. */
@ExtendWith(SandboxExtension.class)
final class WireFaultsIT {

  private static final InstantSource CLOCK = InstantSource.system();
  private static final int MEMBERS = 4;
  private static final Duration SOON = Duration.ofSeconds(40);
  private static final Duration REPAIR = Duration.ofSeconds(6);
  private static final Duration LATEST_UNDO = Duration.ofSeconds(30);

  /** A Job waits 10 s before it makes pods anew, doubled with each one that was ended. */
  private static final Duration MADE_ANEW = Duration.ofSeconds(90);

  private static ProxiedMuster muster;
  private static GangWatch watch;

  @BeforeAll
  static void putProxiesAroundMuster(Sandbox sandbox) {
    muster = ProxiedMuster.in(sandbox, CLOCK, Map.of("repairTimeoutSeconds", REPAIR.toSeconds()));
    watch = new GangWatch(sandbox.client(), CLOCK);
  }

  @AfterEach
  void letAllPass() {
    muster.toApiServer().passAll();
    muster.toMuster().disarm();
    muster.toApiServer().disarm();
  }

  @AfterAll
  static void takeThemAway() {
    watch.close();
    muster.close();
  }

  @Test
  void aGangIsWholeThoughTheReplyToABindCallIsLost(TestSpace space) {
    space.nodes(MEMBERS, NodeShape.GPU1);
    var gang = GangManifest.of(space, "train", MEMBERS);
    var lost =
        muster
            .toMuster()
            .arm(
                KillPoint.on(call -> call.isBindOf(space.namespace()), 2, Moment.AFTER_REPLY),
                () -> {});
    gang.create();

    awaitRunning(gang);
    // A pod may run before Muster has read the answer to its Binding, and so answers the bind call.
    Await.until("a reply to be lost", SOON, lost::isDone);
    assertThat(lost).isCompletedWithValueMatching(CLOCK.instant()::isAfter);
    awaitEverBound(gang, MEMBERS);
  }

  @ParameterizedTest
  @ValueSource(ints = {403, 409, 500})
  void aMemberWhoseBindingIsRefusedForAWhileIsBoundWithinTheRepair(int status, TestSpace space) {
    space.nodes(MEMBERS, NodeShape.GPU1);
    var gang = GangManifest.of(space, "train", MEMBERS);
    var refused = new AtomicInteger();
    muster
        .toApiServer()
        .interfere(call ->
            isBindingOf(call, space, "train-2") && refused.incrementAndGet() <= 3
                ? Optional.of(refusal(status))
                : Optional.empty());
    gang.create();

    awaitRunning(gang);
    assertThat(refused).hasValueGreaterThan(3);
    assertThat(inPart(gang)).isLessThan(REPAIR);
  }

  @Tag("long")
  @Test
  void aGangWithAMemberThatCannotBeBoundIsUndoneAndStartsAgain(TestSpace space) {
    space.nodes(MEMBERS, NodeShape.GPU1);
    var gang = GangManifest.of(space, "job", MEMBERS);
    Set<String> refused = ConcurrentHashMap.newKeySet();
    muster
        .toApiServer()
        .interfere(call -> {
          if (call.isBindingOf(space.namespace())
              && (refused.isEmpty() || refused.contains(call.path()))) {
            refused.add(call.path());
            return Optional.of(refusal(403));
          }
          return Optional.empty();
        });
    createJob(gang);
    Await.until("most to be bound", SOON, () -> gang.bound() == MEMBERS - 1);
    var first = watch.everBound(gang.gang());

    Await.until("the undo", LATEST_UNDO, () -> isUndone(gang, first));
    muster.toApiServer().passAll();
    awaitRunning(gang);
    awaitEverBound(gang, 2 * MEMBERS - 1);
    // Ended pods stop counting when their deletion begins.
    assertThat(inPart(gang)).isLessThan(REPAIR.plus(REPAIR));
  }

  @Tag("long")
  @Test
  void barePodsWhoseSiblingCannotBeBoundAreNeverDeleted(TestSpace space) {
    space.nodes(MEMBERS, NodeShape.GPU1);
    var gang = GangManifest.of(space, "bare", MEMBERS);
    var begun = CLOCK.instant();
    muster
        .toApiServer()
        .interfere(call ->
            isBindingOf(call, space, "bare-1") ? Optional.of(refusal(403)) : Optional.empty());
    gang.create();
    Await.until("most to be bound", SOON, () -> gang.bound() == MEMBERS - 1);
    var uids = uids(gang);
    var patience = REPAIR.plusSeconds(4);
    Await.until("the repair to be over", SOON, () -> CLOCK.instant().isAfter(begun.plus(patience)));

    assertThat(uids(gang)).isEqualTo(uids);
    muster.toApiServer().passAll();
    awaitRunning(gang);
    assertThat(uids(gang)).isEqualTo(uids);
  }

  @Tag("long")
  @Test
  void aBurstCutByACrashAndALostNodeIsUndone(TestSpace space) {
    var nodes = space.nodes(MEMBERS, NodeShape.GPU1);
    var gang = GangManifest.of(space, "job", MEMBERS);
    var killed =
        muster
            .toApiServer()
            .arm(
                KillPoint.on(call -> call.isBindingOf(space.namespace()), 3, Moment.BEFORE_FORWARD),
                () -> muster.process().kill());
    createJob(gang);
    Await.until("the crash", SOON, killed::isDone);
    Await.until("two to be bound", SOON, () -> gang.bound() == 2);
    var first = watch.everBound(gang.gang());
    var free =
        nodes.stream()
            .filter(node ->
                gang.stored().stream().noneMatch(pod -> node.equals(pod.getSpec().getNodeName())))
            .findFirst()
            .orElseThrow();
    muster.sandbox().nodes().remove(List.of(free));
    muster.process().start();

    Await.until("the undo", LATEST_UNDO, () -> isUndone(gang, first));
    var again = space.nodes(1, NodeShape.GPU1);
    awaitRunning(gang);
    assertThat(again).hasSize(1);
    assertThat(Capacity.exceeded(space)).isEmpty();
  }

  @Test
  void aBurstCutByACrashGoesToAnotherNodeWhereOneIsLost(TestSpace space) {
    var nodes = space.nodes(MEMBERS + 1, NodeShape.GPU1);
    var gang = GangManifest.of(space, "bare", MEMBERS);
    var killed =
        muster
            .toApiServer()
            .arm(
                KillPoint.on(call -> call.isBindingOf(space.namespace()), 2, Moment.BEFORE_FORWARD),
                () -> muster.process().kill());
    gang.create();
    Await.until("the crash", SOON, killed::isDone);
    Await.until("one to be bound", SOON, () -> gang.bound() == 1);
    var recorded =
        gang.stored().stream()
            .map(pod -> pod.getSpec().getNodeName())
            .filter(node -> node != null)
            .toList();
    // One of the first four, which were planned.
    muster
        .sandbox()
        .nodes()
        .takeDown(
            nodes.stream().limit(MEMBERS).filter(n -> !recorded.contains(n)).findFirst().get());
    muster.process().start();

    awaitRunning(gang);
    awaitEverBound(gang, MEMBERS);
    assertThat(Capacity.exceeded(space)).isEmpty();
  }

  private static boolean isBindingOf(HttpCall call, TestSpace space, String pod) {
    return call.isBindingOf(space.namespace()) && call.path().endsWith("/" + pod + "/binding");
  }

  private static HttpCall.Reply refusal(int status) {
    return new HttpCall.Reply(
        status,
        """
        {"kind":"Status","apiVersion":"v1","status":"Failure","message":"refused by a test",
         "code":%d}\
        """
            .formatted(status));
  }

  /** So many members have been bound by now, and no more; the watch may be behind. */
  private static void awaitEverBound(GangManifest gang, int members) {
    Await.until(
        "the watch to have seen them", SOON, () -> watch.everBound(gang.gang()).size() >= members);
    assertThat(watch.everBound(gang.gang())).hasSize(members);
  }

  /** Its pods end within a second. */
  private static void createJob(GangManifest gang) {
    var job = gang.job();
    job.getSpec().getTemplate().getSpec().setTerminationGracePeriodSeconds(1L);
    gang.space().client().resource(job).create();
  }

  private static boolean isUndone(GangManifest gang, Set<String> first) {
    return gang.bound() == 0 && uids(gang).stream().noneMatch(first::contains);
  }

  private static List<String> uids(GangManifest gang) {
    return gang.stored().stream().map(Pod::getMetadata).map(m -> m.getUid()).sorted().toList();
  }

  private static Duration inPart(GangManifest gang) {
    return watch.longestInPart(gang.gang(), MEMBERS, Instant.MIN);
  }

  private static void awaitRunning(GangManifest gang) {
    Await.until("the gang to run whole", MADE_ANEW, () -> gang.running() == MEMBERS);
  }
}
