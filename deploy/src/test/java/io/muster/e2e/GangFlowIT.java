package io.muster.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ManagedFieldsEntry;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.extender.kube.gang.Gang;
import io.muster.extender.kube.gang.GangStatus;
import io.muster.faults.Capacity;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Gangs start whole or wait whole, on a real control plane. */
@ExtendWith(SandboxExtension.class)
final class GangFlowIT {

  private static final Duration SOON = Duration.ofSeconds(30);
  private static final Duration TOGETHER = Duration.ofSeconds(2);

  private static final Map<GangWatch.GangName, Integer> STARTED = new HashMap<>();
  private static GangWatch watch;

  @BeforeAll
  static void watchAllGangs(Sandbox sandbox) {
    watch = new GangWatch(sandbox.client(), InstantSource.system());
  }

  @AfterAll
  static void minimumOfEveryGangWasBoundTogether() {
    try (var closing = watch) {
      assertThat(STARTED).hasSizeGreaterThan(1);
      STARTED.forEach((gang, min) ->
          assertThat(closing.spread(gang, min))
              .as("from the first to the min-th binding of %s", gang)
              .hasValueSatisfying(spread -> assertThat(spread).isLessThan(TOGETHER)));
    }
  }

  @Test
  void startsWholeWhereThereIsRoom(Sandbox sandbox, TestSpace space) throws IOException {
    var log = sandbox.muster().orElseThrow().log();
    int logged = Files.readAllLines(log).size();
    space.nodes(4, NodeShape.GPU1);
    var gang = GangManifest.of(space, "train", 4).annotated("example.com/note", "大模型预训练 🚀");
    gang.create();

    awaitRunning(gang, 4);
    assertThat(Capacity.exceeded(space)).isEmpty();
    Await.until("the Gang to say so", SOON, () -> "Running".equals(status(gang).phase()));
    assertThat(status(gang).bound()).isEqualTo(4);
    assertThat(Files.readAllLines(log).stream().skip(logged))
        .as("what is written in any script ends no watch")
        .noneMatch(line -> line.contains("Unexpected exception processing watch event"));
  }

  @Test
  void waitsWholeWhereHalfFitsAndStartsWhenNodesJoin(Sandbox sandbox, TestSpace space) {
    space.nodes(2, NodeShape.GPU1);
    var gang = GangManifest.of(space, "train", 4);
    gang.create();
    Await.until("the reason", SOON, () -> "TooLarge".equals(status(gang).reason()));

    assertThat(sandbox.kubectl("get", "gangs", "-n", space.namespace()))
        .matches(
            "(?s)NAME +PHASE +MIN +MEMBERS +BOUND +WHY +AGE\n"
                + "train +Waiting +4 +4 +0 +no room for 4 members together: 0/\\d+ nodes are"
                + " available: .*")
        .contains("2 Insufficient nvidia.com/gpu");

    var single = single(space, "single");
    Await.until("the single pod to pass", SOON, () -> isRunning(space, "single"));
    assertThat(watch.everBound(gang.gang())).isEmpty();
    var muster = sandbox.muster().orElseThrow();
    assertThat(muster.metric("muster_gangs_waiting{reason=\"TooLarge\"}"))
        .hasValueSatisfying(gangs -> assertThat(gangs).isPositive());
    assertThat(muster.metric("muster_gangs_waiting_oldest_seconds"))
        .hasValueSatisfying(age -> assertThat(age).isBetween(0.1, SOON.toSeconds() * 4.0));
    assertThat(muster.metric("muster_reserved_devices{holder=\"incomplete\"}")).hasValue(0.0);

    space.client().pods().resource(single).withGracePeriod(0).delete();
    space.nodes(2, NodeShape.GPU1);
    awaitRunning(gang, 4);
    Await.until(
        "the start to be counted",
        SOON,
        () ->
            muster
                .metric("muster_gang_start_seconds_count{since=\"planned\"}")
                .filter(starts -> starts >= 1)
                .isPresent());
  }

  @Tag("quick")
  @Test
  void startsWithItsMinimumAndAddsTheRestLater(TestSpace space) {
    space.nodes(2, NodeShape.GPU1);
    var gang = GangManifest.of(space, "elastic", 4).min(2);
    gang.create();

    awaitRunning(gang, 2);
    space.nodes(1, NodeShape.GPU1);
    awaitRunning(gang, 3);
    space.nodes(1, NodeShape.GPU1);
    awaitRunning(gang, 4);
    assertThat(Capacity.exceeded(space)).isEmpty();
  }

  @Test
  void twoGangsMadeInTurnsDoNotTakeHalvesOfEachOthersRoom(TestSpace space) {
    space.nodes(4, NodeShape.GPU1);
    var one = GangManifest.of(space, "one", 4);
    var other = GangManifest.of(space, "other", 4);
    for (int i = 0; i < 4; i++) {
      one.create(one.pods().get(i));
      other.create(other.pods().get(i));
    }

    Await.until("one of them to run", SOON, () -> one.running() == 4 || other.running() == 4);
    var winner = one.running() == 4 ? one : other;
    var loser = winner.equals(one) ? other : one;
    Await.until("the reason of the other", SOON, () -> "NoRoom".equals(status(loser).reason()));
    assertThat(watch.everBound(loser.gang())).isEmpty();

    winner.stored().forEach(pod -> delete(space, pod));
    awaitRunning(loser, 4);
    STARTED.put(winner.gang(), 4);
  }

  @Tag("quick")
  @Test
  void membersWithoutGpusWaitForThoseWithGpus(TestSpace space) {
    space.nodes(1, NodeShape.GPU1);
    var workers = GangManifest.of(space, "mixed", 2).min(4);
    var launchers = workers.gpus(0);
    launchers.create(launchers.pod("launcher-0"));
    launchers.create(launchers.pod("launcher-1"));
    workers.create();
    Await.until("the reason", SOON, () -> "TooLarge".equals(status(workers).reason()));
    assertThat(watch.everBound(workers.gang())).isEmpty();

    space.nodes(1, NodeShape.GPU1);
    awaitRunning(workers, 4);
  }

  @Test
  void anAutoscalerSeesHowManyNodesAGangWants(TestSpace space) {
    space.nodes(1, NodeShape.GPU1);
    var gang = GangManifest.of(space, "wide", 20);
    gang.create();
    // It adds a node for each pod that is shown as unschedulable, as autoscalers do.
    Await.until(
        "all members to be shown as unschedulable",
        SOON,
        () -> gang.stored().stream().filter(GangFlowIT::isShownUnschedulable).count() == 20);
    assertThat(watch.everBound(gang.gang())).isEmpty();
    space.nodes(20, NodeShape.GPU1);
    awaitRunning(gang, 20);
  }

  private static boolean isShownUnschedulable(Pod pod) {
    return pod.getStatus().getConditions().stream()
        .anyMatch(condition ->
            "PodScheduled".equals(condition.getType())
                && "False".equals(condition.getStatus())
                && "Unschedulable".equals(condition.getReason()));
  }

  @Test
  void noMembersHaveManagedFieldsButThoseThatWereApplied(TestSpace space) {
    space.nodes(2, NodeShape.GPU1);
    var gang = GangManifest.of(space, "train", 2);
    gang.create(gang.pod("train-0"));
    space.client().pods().resource(gang.pod("train-1")).serverSideApply();

    awaitRunning(gang, 2);
    assertThat(managers(space, "train-0")).isEmpty();
    assertThat(managers(space, "train-1")).contains("Apply", "Update");
  }

  private static List<String> managers(TestSpace space, String pod) {
    return space
        .client()
        .pods()
        .inNamespace(space.namespace())
        .withName(pod)
        .get()
        .getMetadata()
        .getManagedFields()
        .stream()
        .map(ManagedFieldsEntry::getOperation)
        .toList();
  }

  @Test
  void aMemberAddedLaterJoinsARunningGang(TestSpace space) {
    space.nodes(3, NodeShape.GPU1);
    var gang = GangManifest.of(space, "growing", 2);
    gang.create();
    awaitRunning(gang, 2);

    gang.create(gang.pod("growing-2"));
    Await.until("the third member to run", SOON, () -> gang.running() == 3);
  }

  @Test
  void aGangMadeAgainUnderItsNameIsPlacedWholeAgain(TestSpace space) {
    space.nodes(2, NodeShape.GPU1);
    var gang = GangManifest.of(space, "again", 2);
    gang.create();
    awaitRunning(gang, 2);
    gang.stored().forEach(pod -> delete(space, pod));
    Await.until("the first life to be over", SOON, () -> gang.stored().isEmpty());
    // Room for half of the next life.
    single(space, "single");
    Await.until("the single pod to run", SOON, () -> isRunning(space, "single"));

    gang.create();
    Await.until("the reason", SOON, () -> "NoRoom".equals(status(gang).reason()));
    assertThat(gang.bound()).isZero();
    space.nodes(1, NodeShape.GPU1);
    Await.until("the second life to run", SOON, () -> gang.running() == 2);
  }

  @Tag("quick")
  @Test
  void theMembersOfAJobStartTogether(TestSpace space) {
    space.nodes(1, NodeShape.GPU4);
    var gang = GangManifest.of(space, "job", 4);
    gang.createJob();

    awaitRunning(gang, 4);
  }

  private static void awaitRunning(GangManifest gang, int members) {
    Await.until(
        members + " members of " + gang.gang() + " to run", SOON, () -> gang.running() == members);
    STARTED.putIfAbsent(gang.gang(), members);
  }

  private static GangStatus status(GangManifest gang) {
    return Optional.ofNullable(
            gang.space()
                .client()
                .resources(Gang.class)
                .inNamespace(gang.space().namespace())
                .withName(gang.name())
                .get())
        .flatMap(found -> Optional.ofNullable(found.getStatus()))
        .orElseGet(() -> Serialization.unmarshal("{}", GangStatus.class));
  }

  private static Pod single(TestSpace space, String name) {
    var manifest =
        GangManifest.of(space, name, 1).without(GangManifest.NAME).without(GangManifest.MIN);
    var pod = manifest.pod(name);
    manifest.create(pod);
    return pod;
  }

  private static boolean isRunning(TestSpace space, String name) {
    var pod = space.client().pods().inNamespace(space.namespace()).withName(name).get();
    return "Running".equals(pod.getStatus().getPhase());
  }

  private static void delete(TestSpace space, Pod pod) {
    space.client().pods().resource(pod).withGracePeriod(0).delete();
  }
}
