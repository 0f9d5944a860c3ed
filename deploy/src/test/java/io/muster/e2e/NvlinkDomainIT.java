package io.muster.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.gang.NvlinkDomain;
import io.muster.sandbox.Await;
import io.muster.sandbox.Layout;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Gangs that share NVLink over nodes, on a real control plane with a driver that is played. */
@ExtendWith(SandboxExtension.class)
final class NvlinkDomainIT {

  private static final Duration SOON = Duration.ofSeconds(90);
  private static final Duration LONG = Duration.ofMinutes(5);
  private static final int CYCLES = 1_000;
  private static final int AT_ONCE = 40;

  /** Row DR10. */
  @Test
  void aTorchrunJobOf72GpusRunsInOneCliqueWithOneDomain(TestSpace space) throws IOException {
    try (var driver = NvlinkDriver.install(space).control()) {
      var small = clique(space, "a", 8, NodeShape.GPU8);
      var large = clique(space, "b", 10, NodeShape.GPU8);
      driver.on(small).on(large);
      var job = example(space);
      space.client().resource(job).create();
      Await.until("the Job's pods to run", SOON, () -> running(space) == 9);

      assertThat(pods(space)).extracting(pod -> pod.getSpec().getNodeName()).isSubsetOf(large);
      assertThat(driver.channels()).isEqualTo(9);
      assertThat(driver.domains())
          .singleElement()
          .satisfies(domain -> {
            assertThat(domain.getMetadata().getName())
                .isEqualTo(domain(space, Dialect.MUSTER, "nvlink-domain"));
            assertThat(domain.getMetadata().getOwnerReferences())
                .singleElement()
                .satisfies(owner -> {
                  assertThat(owner.getKind()).isEqualTo("Gang");
                  assertThat(owner.getName()).isEqualTo("nvlink-domain");
                  assertThat(owner.getController()).isNotEqualTo(true);
                });
          });
      assertThat(pods(space))
          .allSatisfy(pod ->
              assertThat(pod.getSpec().getContainers().getFirst().getEnv())
                  .anyMatch(env -> env.getName().equals("NCCL_MNNVL_ENABLE")));

      var late = lateMember(space);
      space.client().resource(late).create();
      Await.until("a pod beyond the minimum to run", SOON, () -> running(space) == 10);
      assertThat(pods(space)).extracting(pod -> pod.getSpec().getNodeName()).isSubsetOf(large);
      assertThat(driver.domains()).hasSize(1);

      space.client().pods().resource(late).withGracePeriod(0).delete();
      space.client().resource(job).delete();
      Await.until("the domain to go with the Job", SOON, () -> driver.domains().isEmpty());
    }
  }

  /** Row DR14. */
  @Test
  void segmentsInSeveralCliquesShareOneDomain(TestSpace space) {
    try (var driver = NvlinkDriver.install(space).control()) {
      var first = clique(space, "a", 3, NodeShape.GPU1);
      var second = clique(space, "b", 2, NodeShape.GPU1);
      driver.on(first).on(second);
      var gang =
          required(space, "train", 4).annotated(GangKeys.SEGMENTS, NvlinkDriver.CLIQUE + "=2");
      gang.create();
      Await.until("the gang to run", SOON, () -> gang.running() == 4);

      var nodes = nodesByName(space);
      assertThat(nodes.subList(0, 2)).isSubsetOf(first);
      assertThat(nodes.subList(2, 4)).isSubsetOf(second);
      assertThat(driver.domains()).hasSize(1);
      assertThat(driver.channels()).isEqualTo(4);
    }
  }

  /** Row DR11. */
  @Test
  void aMissingDriverIsSaidAndNobodyElseWaits(TestSpace space) {
    var nodes = clique(space, "a", 3, NodeShape.GPU1);
    var auto = GangManifest.of(space, "auto", 1).annotated(GangKeys.NVLINK_DOMAIN, "auto");
    // Every 30 s it is looked whether a driver that was there has gone.
    Await.until(
        "auto to be told that it claims nothing",
        SOON,
        () ->
            warnings(space, auto)
                .contains("muster.io/nvlink-domain: auto, and no NVLink domain is claimed"));
    var gang = required(space, "train", 2);
    gang.create();
    Await.until(
        "the gang to say what is missing",
        SOON,
        () -> GangManifest.why(space, "train").contains("the cluster has no ComputeDomains"));
    auto.create();
    Await.until("another gang to run", SOON, () -> auto.running() == 1);
    assertThat(auto.stored().getFirst().getSpec().getResourceClaims()).isEmpty();

    try (var driver = NvlinkDriver.install(space).on(nodes)) {
      Await.until(
          "the gang to say that no template is made",
          SOON,
          () -> GangManifest.why(space, "train").contains("has made no ResourceClaimTemplate"));
      assertThat(gang.bound()).isZero();
      driver.control();
      Await.until("the gang to run", SOON, () -> gang.running() == 2);
      Await.until(
          "auto to claim a domain",
          SOON,
          () -> !warnings(space, auto).contains("no NVLink domain is claimed"));
    }
  }

  /** Row DR12. */
  @Test
  void whatSomebodyElseHasMadeUnderItsNameIsLeftAlone(TestSpace space) {
    try (var driver = NvlinkDriver.install(space).control()) {
      driver.on(clique(space, "a", 2, NodeShape.GPU1));
      var foreign = driver.foreign(domain(space, Dialect.KOORDINATOR, "train"));
      var gang = required(space, "train", 2);
      gang.create();
      Await.until(
          "the gang to say whose it is",
          SOON,
          () -> GangManifest.why(space, "train").contains("that is not Muster's"));
      assertThat(gang.bound()).isZero();
      gang.delete();
      Await.until("its members to be gone", SOON, () -> gang.stored().isEmpty());
      assertThat(Await.within(Duration.ofSeconds(5), () -> driver.domains().isEmpty())).isFalse();
      assertThat(driver.domains())
          .singleElement()
          .satisfies(kept ->
              assertThat(kept.getMetadata().getUid()).isEqualTo(foreign.getMetadata().getUid()));
      driver.delete(foreign);
      gang.create();
      Await.until("the gang to run", SOON, () -> gang.running() == 2);
    }
  }

  /** Row DR13. */
  @Test
  void aGangThatIsDeletedBeforeItsReleaseLeavesNoDomain(Sandbox sandbox, TestSpace space) {
    try (var driver = NvlinkDriver.install(space);
        var watch = new GangWatch(sandbox.client(), InstantSource.system())) {
      driver.on(clique(space, "a", 2, NodeShape.GPU1));
      var gang = required(space, "train", 2);
      gang.create();
      Await.until("the domain to be made", SOON, () -> driver.domains().size() == 1);
      gang.delete();
      Await.until("the domain to go", SOON, () -> driver.domains().isEmpty());
      assertThat(watch.everBound(gang.gang())).isEmpty();
    }
  }

  /** Row DR13: each is deleted at a moment of its own, from its creation to some time after. */
  @Test
  @Tag("long")
  void aThousandGangsLeaveNoDomain(TestSpace space) {
    var random = new Random(72);
    try (var driver = NvlinkDriver.install(space).control()) {
      driver.on(clique(space, "a", AT_ONCE, NodeShape.GPU1));
      int ran = 0;
      for (int from = 0; from < CYCLES; from += AT_ONCE) {
        var gangs = new ArrayList<GangManifest>();
        for (int i = from; i < from + AT_ONCE; i++) {
          gangs.add(required(space, "g" + i, 1 + i % 2));
          gangs.getLast().create();
        }
        for (var gang : gangs) {
          if (random.nextInt(2) == 0) {
            Await.within(Duration.ofMillis(random.nextInt(2_000)), () -> gang.running() > 0);
            ran += gang.running() > 0 ? 1 : 0;
          }
          gang.delete();
        }
        Await.until(
            "the pods to be gone",
            SOON,
            () -> space.client().pods().inNamespace(space.namespace()).list().getItems().isEmpty());
      }
      Await.until("all domains to go", LONG, () -> driver.domains().isEmpty());
      assertThat(ran).isPositive();
    }
  }

  private static List<String> clique(TestSpace space, String name, int count, NodeShape shape) {
    return space.nodes(
        count, shape, Map.of(NvlinkDriver.CLIQUE, space.namespace() + "." + name), List.of());
  }

  private static GangManifest required(TestSpace space, String name, int members) {
    return GangManifest.of(space, name, members).annotated(GangKeys.NVLINK_DOMAIN, "required");
  }

  private static String domain(TestSpace space, Dialect dialect, String gang) {
    return NvlinkDomain.nameOf(new GangId(dialect, space.namespace(), gang));
  }

  private static String warnings(TestSpace space, GangManifest gang) {
    return space.warnings(Serialization.asYaml(gang.pod("probe")));
  }

  private static Job example(TestSpace space) throws IOException {
    var file = Layout.current().deploy().getParent().resolve("examples/gang/nvlink-domain.yaml");
    return Serialization.unmarshal(
        Files.readString(file)
            .replace("namespace: default", "namespace: " + space.namespace())
            .replaceAll("pool: .*", TestSpace.SET_LABEL + ": " + space.namespace()),
        Job.class);
  }

  /** As an elastic owner makes it. */
  private static Pod lateMember(TestSpace space) {
    return GangManifest.of(space, "late", 1)
        .without(GangManifest.NAME)
        .without(GangManifest.MIN)
        .annotated(GangKeys.NAME, "nvlink-domain")
        .annotated(GangKeys.MIN, "9")
        .annotated(GangKeys.NVLINK_DOMAIN, "required")
        .gpus(8)
        .pod("late");
  }

  private static List<Pod> pods(TestSpace space) {
    return space.client().pods().inNamespace(space.namespace()).list().getItems();
  }

  private static List<String> nodesByName(TestSpace space) {
    return pods(space).stream()
        .sorted(Comparator.comparing(pod -> pod.getMetadata().getName()))
        .map(pod -> pod.getSpec().getNodeName())
        .toList();
  }

  private static long running(TestSpace space) {
    return pods(space).stream().filter(pod -> "Running".equals(pod.getStatus().getPhase())).count();
  }
}
