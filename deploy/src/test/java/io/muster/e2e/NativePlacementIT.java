package io.muster.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSchedulingGroup;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClassBuilder;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Markings.NativeGroup;
import io.muster.extender.kube.gang.Gang;
import io.muster.faults.Capacity;
import io.muster.faults.KillSpot;
import io.muster.faults.ProxiedMuster;
import io.muster.sandbox.Await;
import io.muster.sandbox.Layout;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxOptions;
import io.muster.sandbox.StateDirectory;
import io.muster.sandbox.TestSpace;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Gangs that kube-scheduler binds whole by itself, where the cluster's gang scheduling is on. */
@Tag("long")
final class NativePlacementIT {

  private static final InstantSource CLOCK = InstantSource.system();
  private static final Duration SOON = Duration.ofSeconds(40);

  private static Sandbox sandbox;
  private static ProxiedMuster muster;
  private static GangWatch watch;

  @BeforeAll
  static void start() {
    var layout = Layout.current();
    var state = new StateDirectory(layout.deploy().resolve("target/sandbox/native-placement"));
    sandbox = Sandbox.start(layout, NativeCluster.with(SandboxOptions.withMuster(state)));
    muster = ProxiedMuster.in(sandbox, CLOCK, NativeCluster.SETTINGS);
    sandbox.scheduler().start(Optional.empty());
    watch = new GangWatch(sandbox.client(), CLOCK);
  }

  @AfterAll
  static void stop() {
    watch.close();
    muster.close();
    sandbox.close();
  }

  /** Row NP1; the group stays with the Job when Muster is gone, and takes in a replacement. */
  @Test
  void aJobStartsWholeAndItsPodGroupOutlastsMuster() {
    try (var space = TestSpace.open(sandbox, "native")) {
      space.nodes(4, NodeShape.GPU1);
      var gang = GangManifest.of(space, "train", 3);
      gang.createJob();
      Await.until("the gang to run", SOON, () -> gang.running() == 3);

      var group = group(space, "train").orElseThrow();
      assertThat(minCount(group)).isEqualTo(3);
      assertThat(group.getMetadata().getOwnerReferences())
          .singleElement()
          .extracting(OwnerReference::getKind)
          .isEqualTo("Job");
      assertThat(gang.stored())
          .allSatisfy(pod ->
              assertThat(pod.getSpec().getSchedulingGroup().getPodGroupName())
                  .isEqualTo(group.getMetadata().getName()));
      assertThat(Capacity.exceeded(space)).isEmpty();

      var lost = gang.stored().getFirst();
      space.client().pods().resource(lost).withGracePeriod(0).delete();
      Await.until("a replacement to run", SOON, () -> gang.running() == 3 && isGone(gang, lost));
      space
          .client()
          .resources(Gang.class)
          .inNamespace(space.namespace())
          .withName("train")
          .delete();
      assertThat(group(space, "train")).isPresent();
      space.client().batch().v1().jobs().inNamespace(space.namespace()).withName("train").delete();
      Await.until("the group to go", SOON, () -> group(space, "train").isEmpty());
    }
  }

  /** Row NP13: from Kubernetes 1.37 on, kube-scheduler compares members with their group. */
  @Test
  void aJobOfAPriorityClassStartsWhole() {
    try (var space = TestSpace.open(sandbox, "priority")) {
      space.nodes(2, NodeShape.GPU1);
      var high =
          new PriorityClassBuilder()
              .withNewMetadata()
              .withName(space.namespace())
              .endMetadata()
              .withValue(1000)
              .build();
      space.client().resource(high).create();
      var gang = GangManifest.of(space, "train", 2);
      var job =
          new JobBuilder(gang.job())
              .editSpec()
              .editTemplate()
              .editSpec()
              .withPriorityClassName(space.namespace())
              .endSpec()
              .endTemplate()
              .endSpec()
              .build();
      space.client().batch().v1().jobs().inNamespace(space.namespace()).resource(job).create();
      Await.until("the gang to run", SOON, () -> gang.running() == 2);
      space.client().resource(high).delete();
    }
  }

  /** Row NP5: kube-scheduler does not see the one that has succeeded. */
  @Test
  void aReplacementRunsBesideWhoRunsThoughAnotherHasSucceeded() {
    try (var space = TestSpace.open(sandbox, "succeeded")) {
      space.nodes(4, NodeShape.GPU1);
      var gang = GangManifest.of(space, "train", 3);
      gang.createJob();
      Await.until("the gang to run", SOON, () -> gang.running() == 3);
      succeed(space, gang.stored().getFirst());
      Await.until(
          "the Job to count it",
          SOON,
          () ->
              Objects.equals(
                  space
                      .client()
                      .batch()
                      .v1()
                      .jobs()
                      .inNamespace(space.namespace())
                      .withName("train")
                      .get()
                      .getStatus()
                      .getSucceeded(),
                  1));
      var lost =
          gang.stored().stream()
              .filter(pod -> pod.getStatus().getPhase().equals("Running"))
              .findFirst()
              .orElseThrow();
      space.client().pods().resource(lost).withGracePeriod(0).delete();
      Await.until("a replacement to run", SOON, () -> gang.running() == 2 && isGone(gang, lost));
      assertThat(minCount(group(space, "train").orElseThrow())).isEqualTo(2);
    }
  }

  /** Whose Job may keep it for a moment, to count it. */
  private static boolean isGone(GangManifest gang, Pod lost) {
    return gang.stored().stream()
        .noneMatch(pod -> pod.getMetadata().getUid().equals(lost.getMetadata().getUid()));
  }

  /** As its kubelet says it. */
  private static void succeed(TestSpace space, Pod pod) {
    space
        .client()
        .pods()
        .resource(pod)
        .editStatus(
            it -> new PodBuilder(it).editOrNewStatus().withPhase("Succeeded").endStatus().build());
  }

  /** Row NP2. */
  @Test
  void aKillBetweenReleasesLeavesNobodyBoundAndTheGangIsCompleted() throws Exception {
    try (var space = TestSpace.open(sandbox, "killed")) {
      space.nodes(4, NodeShape.GPU1);
      var gang = GangManifest.of(space, "train", 4);
      var killed =
          muster
              .toApiServer()
              .arm(KillSpot.betweenReleases(space.namespace(), 3), () -> muster.process().kill());
      gang.create();
      killed.get(SOON.toSeconds(), TimeUnit.SECONDS);
      assertThat(gang.stored().stream().filter(NativePlacementIT::isReleased).count())
          .isBetween(1L, 3L);
      Thread.sleep(3_000);
      assertThat(watch.everBound(gang.gang())).isEmpty();

      muster.process().start();
      Await.until("the gang to run", SOON, () -> gang.running() == 4);
      assertThat(watch.longestInPart(gang.gang(), 4, Instant.MIN))
          .isLessThan(Duration.ofSeconds(2));
    }
  }

  /** Row NP3. */
  @Test
  void aPodThatTakesAPlannedNodeLeavesNobodyBoundAndTheJobStartsElsewhere() throws Exception {
    try (var space = TestSpace.open(sandbox, "thief")) {
      space.nodes(5, NodeShape.GPU1);
      var gang = GangManifest.of(space, "train", 4);
      var killed =
          muster
              .toApiServer()
              .arm(KillSpot.betweenReleases(space.namespace(), 4), () -> muster.process().kill());
      gang.createJob();
      killed.get(SOON.toSeconds(), TimeUnit.SECONDS);
      var released =
          gang.stored().stream().filter(NativePlacementIT::isReleased).findFirst().orElseThrow();
      thief(space, gang, planned(released));
      assertThat(watch.everBound(gang.gang())).isEmpty();

      muster.process().start();
      Await.until("the gang to run", SOON, () -> gang.running() == 4);
      assertThat(watch.longestInPart(gang.gang(), 4, Instant.MIN))
          .isLessThan(Duration.ofSeconds(2));
      assertThat(gang.stored())
          .extracting(pod -> pod.getSpec().getNodeName())
          .doesNotContain(planned(released));
      assertThat(Capacity.exceeded(space)).isEmpty();
    }
  }

  /** Row NP4. */
  @Test
  void aPodGroupOfSomebodyElseIsLeftAloneAndTheGangSaysSo() {
    try (var space = TestSpace.open(sandbox, "foreign")) {
      space.nodes(2, NodeShape.GPU1);
      var manifest =
          "apiVersion: %s\nkind: PodGroup\n".formatted(NativeCluster.API_VERSION)
              + "metadata: {name: %s, namespace: %s}\nspec: {schedulingPolicy: {gang: {minCount: 1}}}\n"
                  .formatted(name(space, "train"), space.namespace());
      space
          .client()
          .load(new ByteArrayInputStream(manifest.getBytes(StandardCharsets.UTF_8)))
          .create();
      var gang = GangManifest.of(space, "train", 2);
      gang.create();
      Await.until(
          "the gang to say what it waits for",
          SOON,
          () -> GangManifest.why(space, "train").contains("that is not Muster's"));
      assertThat(gang.bound()).isZero();
      space.client().resource(group(space, "train").orElseThrow()).delete();
      Await.until("the group to be given up", SOON, () -> isGoing(space));
    }
  }

  /** Row NP5: pods name a PodGroup for as long as they are there, and it cannot be changed. */
  @Test
  void aMinimumThatChangesBeforeTheStartHasThePodGroupMadeAnewBesideItsPods() {
    try (var space = TestSpace.open(sandbox, "changed")) {
      space.nodes(2, NodeShape.GPU1);
      var gang = GangManifest.of(space, "train", 2);
      oneOfMusters(space, "train", 3);
      gang.createJob();
      Await.until("the gang to run", SOON, () -> gang.running() == 2);
      assertThat(minCount(group(space, "train").orElseThrow())).isEqualTo(2);
    }
  }

  private static void oneOfMusters(TestSpace space, String gang, int minCount) {
    var manifest =
        "apiVersion: %s\nkind: PodGroup\n".formatted(NativeCluster.API_VERSION)
            + "metadata: {name: %s, namespace: %s, labels: {app.kubernetes.io/managed-by: muster}}\n"
                .formatted(name(space, gang), space.namespace())
            + "spec: {schedulingPolicy: {gang: {minCount: %d}}}\n".formatted(minCount);
    space
        .client()
        .load(new ByteArrayInputStream(manifest.getBytes(StandardCharsets.UTF_8)))
        .create();
  }

  /** Row NP6. */
  @Test
  void aMemberInThePodGroupOfAnotherGangIsRefusedWithWhatToDo() {
    try (var space = TestSpace.open(sandbox, "copied")) {
      var copied = GangManifest.of(space, "other", 1).pod("copied");
      copied.getSpec().setSchedulingGroup(new PodSchedulingGroup(name(space, "train")));
      assertThatThrownBy(() -> GangManifest.of(space, "other", 1).create(copied))
          .hasMessageContaining("spec.schedulingGroup.podGroupName is")
          .hasMessageContaining("leave spec.schedulingGroup out");
      var stranger = new PodBuilder(copied).editMetadata().withAnnotations(Map.of()).endMetadata();
      assertThatThrownBy(() -> GangManifest.of(space, "other", 1).create(stranger.build()))
          .hasMessageContaining("the pod is in no gang");
    }
  }

  private static boolean isGoing(TestSpace space) {
    return group(space, "train")
        .filter(found -> found.getMetadata().getDeletionTimestamp() == null)
        .isEmpty();
  }

  private static void thief(TestSpace space, GangManifest gang, String node) {
    var bare = gang.pod("thief");
    var pod =
        new PodBuilder(bare)
            .editMetadata()
            .withAnnotations(Map.of())
            .endMetadata()
            .editSpec()
            .withNodeName(node)
            .endSpec()
            .build();
    space.client().pods().inNamespace(space.namespace()).resource(pod).create();
  }

  private static boolean isReleased(Pod pod) {
    return pod.getSpec().getSchedulingGates().isEmpty();
  }

  private static String planned(Pod pod) {
    return pod.getSpec()
        .getAffinity()
        .getNodeAffinity()
        .getRequiredDuringSchedulingIgnoredDuringExecution()
        .getNodeSelectorTerms()
        .getFirst()
        .getMatchFields()
        .getFirst()
        .getValues()
        .getFirst();
  }

  private static String name(TestSpace space, String gang) {
    return NativeGroup.nameOf(new GangId(Dialect.KOORDINATOR, space.namespace(), gang));
  }

  private static Optional<GenericKubernetesResource> group(TestSpace space, String gang) {
    return Optional.ofNullable(
        space
            .client()
            .genericKubernetesResources(NativeCluster.API_VERSION, "PodGroup")
            .inNamespace(space.namespace())
            .withName(name(space, gang))
            .get());
  }

  private static int minCount(GenericKubernetesResource group) {
    return ((Number)
            ((Map<?, ?>) ((Map<?, ?>) group.get("spec", "schedulingPolicy")).get("gang"))
                .get("minCount"))
        .intValue();
  }
}
