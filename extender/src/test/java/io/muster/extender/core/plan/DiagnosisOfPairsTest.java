package io.muster.extender.core.plan;

import static io.muster.extender.core.NodeBuilder.aNode;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.NodeBuilder;
import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.cluster.Taint;
import io.muster.extender.core.gang.Topology;
import io.muster.extender.core.plan.diagnosis.Copies;
import io.muster.extender.core.plan.diagnosis.Diagnosis;
import io.muster.extender.core.plan.diagnosis.Diagnosis.Cause;
import io.muster.extender.core.plan.diagnosis.Diagnosis.Finding;
import io.muster.extender.core.plan.packing.PackingPolicy;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is said where two things are in the way at once, or nodes are there that do not matter. */
final class DiagnosisOfPairsTest {

  private static final String GPU = "nvidia.com/gpu";
  private static final Resources EIGHT = new Resources(1000, 0, Map.of(GPU, 8L));

  private final Inventory inventory = new Inventory();

  private static NodeBuilder gpuNode(String name) {
    return aNode(name).gpus(8).cpuMillis(64_000);
  }

  private void seen(NodeBuilder... nodes) {
    for (var node : nodes) {
      inventory.seen(node.build());
    }
  }

  private Finding finding(int members, Resources asked, Map<String, String> selector) {
    var demand = new Demand(asked, selector, List.of(), List.of());
    var part = new GangRequest.Part(Collections.nCopies(members, demand), Topology.ANYWHERE);
    return Diagnosis.of(
        new Planner(PackingPolicy.DEFAULT),
        new Copies(inventory.snapshot()),
        new GangRequest(List.of(part), Set.of()));
  }

  @Test
  void onlyTaintsOfNodesThatWouldDoAreNamed() {
    seen(
        gpuNode("reserved").label("pool", "a").taint("reserved", "yes", Taint.Effect.NO_SCHEDULE),
        gpuNode("elsewhere").label("pool", "b").taint("other", "yes", Taint.Effect.NO_SCHEDULE),
        aNode("control").gpus(0).label("pool", "a").taint("cp", "", Taint.Effect.NO_SCHEDULE));

    var found = finding(1, EIGHT, Map.of("pool", "a"));
    assertThat(found.cause()).isEqualTo(Cause.TAINTED);
    assertThat(found.evidence())
        .isEqualTo("all nodes that suit have taints that the members do not tolerate: reserved");
  }

  @Test
  void whereSomeSuitButHaveTaintsNobodyReadsThatNoneSuits() {
    seen(
        gpuNode("suits").label("pool", "a").taint("reserved", "yes", Taint.Effect.NO_SCHEDULE),
        gpuNode("does-not").label("pool", "b"));

    var found = finding(2, EIGHT, Map.of("pool", "a"));
    assertThat(found.evidence()).doesNotContain("no node with such devices suits");
    assertThat(found.evidence() + found.remedy()).contains("reserved").contains("selector");
  }

  /** Whoever selects a pool wants that, though there is room elsewhere. */
  @Test
  void whatKeepsThemFromTheirOwnNodesComesBeforeRoomOnOthers() {
    seen(
        gpuNode("reserved").label("pool", "a").taint("reserved", "yes", Taint.Effect.NO_SCHEDULE),
        gpuNode("cordoned").label("pool", "a").availability(Node.Availability.CORDONED),
        gpuNode("x").label("pool", "b"),
        gpuNode("y").label("pool", "b"),
        gpuNode("z").label("pool", "b"));

    var found = finding(2, EIGHT, Map.of("pool", "a"));
    assertThat(found.cause()).isEqualTo(Cause.TAINTED);
    assertThat(found.evidence()).contains("reserved").contains("cordoned").doesNotContain("suit");

    var tooMany = finding(3, EIGHT, Map.of("pool", "a"));
    assertThat(tooMany.cause()).isEqualTo(Cause.UNSUITABLE);
    assertThat(tooMany.evidence())
        .isEqualTo(
            "nodes that suit node selector, affinity and volumes of the members would hold 2 of"
                + " them, and are tainted, cordoned, not ready, or failed a moment ago");
  }

  @Test
  void whereNoneSuitsAndAllHaveTaintsBothAreSaid() {
    seen(
        gpuNode("x").label("pool", "b").taint("reserved", "yes", Taint.Effect.NO_SCHEDULE),
        gpuNode("y").label("pool", "b").taint("reserved", "yes", Taint.Effect.NO_SCHEDULE));

    var found = finding(2, EIGHT, Map.of("pool", "a"));
    assertThat(found.evidence() + found.remedy()).contains("selector").contains("reserved");
  }

  @Test
  void nodesThatAreAwayAndWouldNotDoAreNotCounted() {
    seen(
        gpuNode("cordoned").label("pool", "a").availability(Node.Availability.CORDONED),
        gpuNode("elsewhere").label("pool", "b").availability(Node.Availability.NOT_READY),
        aNode("small").gpus(0).label("pool", "a").availability(Node.Availability.NOT_READY));

    assertThat(finding(1, EIGHT, Map.of("pool", "a")).evidence())
        .isEqualTo("there is room on 1 node that is cordoned");
  }

  @Test
  void whereSomeHaveTaintsAndOthersAreCordonedNobodyReadsThatNoneSuits() {
    seen(
        gpuNode("reserved").taint("reserved", "yes", Taint.Effect.NO_SCHEDULE),
        gpuNode("cordoned").availability(Node.Availability.CORDONED));

    var found = finding(2, EIGHT, Map.of());
    assertThat(found.cause()).isEqualTo(Cause.TAINTED);
    assertThat(found.evidence()).contains("reserved").contains("cordoned").doesNotContain("suit");
    assertThat(found.remedy()).contains("spec.tolerations").contains("uncordon");
  }

  /** A tenant may ask for hundreds, another few in each member, and each would take a plan. */
  @Test
  void ofHundredsOfAmountsNoneIsSingledOut() {
    var asked = new HashMap<String, Long>(Map.of(GPU, 8L));
    IntStream.range(0, 300).forEach(i -> asked.put("example.com/r" + i, 1L));
    for (var name : List.of("free", "taken")) {
      var node = gpuNode(name).build();
      inventory.seen(
          new Node(
              node.name(),
              node.labels(),
              node.taints(),
              node.availability(),
              new Resources(64_000, node.allocatable().memoryBytes(), asked),
              node.podLimit(),
              Map.of(),
              Set.of()));
    }
    inventory.occupy("one", "free", new Resources(0, 0, Map.of("example.com/r7", 1L)));
    inventory.occupy("another", "taken", new Resources(0, 0, Map.of(GPU, 8L)));

    var found = finding(1, new Resources(1000, 0, asked), Map.of());
    assertThat(found.evidence())
        .isEqualTo(
            "devices for all members are free, with too little of the other resources beside them");
    assertThat(found.remedy()).contains("ask for less of the other resources");
  }

  @Test
  void amountsOtherThanCpuAndMemoryAreNamed() {
    for (var name : List.of("hugepages-2Mi", "ephemeral-storage")) {
      var node = gpuNode("n-" + name).build();
      var offered = Map.of(GPU, 8L, name, 100L);
      inventory.seen(
          new Node(
              node.name(),
              node.labels(),
              node.taints(),
              node.availability(),
              new Resources(64_000, node.allocatable().memoryBytes(), offered),
              node.podLimit(),
              Map.of(),
              Set.of()));
      inventory.occupy("holder-" + name, node.name(), new Resources(0, 0, Map.of(name, 60L)));
      inventory.seen(
          new Node(
              "second-" + name,
              node.labels(),
              node.taints(),
              node.availability(),
              new Resources(64_000, node.allocatable().memoryBytes(), offered),
              node.podLimit(),
              Map.of(),
              Set.of()));
      inventory.occupy("other-" + name, "second-" + name, new Resources(0, 0, Map.of(name, 60L)));

      var found = finding(1, new Resources(0, 0, Map.of(GPU, 8L, name, 50L)), Map.of());
      assertThat(found.cause()).isEqualTo(Cause.NOT_ENOUGH_BESIDE);
      assertThat(found.evidence())
          .isEqualTo("devices for all members are free, with too little " + name + " beside them");
    }
  }

  @Test
  void aMemberThatNoNodeCouldHoldIsNotToldToAddSuchNodesOrHaveFewerMembers() {
    seen(gpuNode("a"), gpuNode("b"));

    var tooManyGpus = finding(2, new Resources(1000, 0, Map.of(GPU, 16L)), Map.of());
    assertThat(tooManyGpus.cause()).isEqualTo(Cause.TOO_LARGE);
    assertThat(tooManyGpus.evidence())
        .isEqualTo(
            "even empty, no node would hold a member (cpu 1, nvidia.com/gpu 16): the most that a"
                + " node has is 8 nvidia.com/gpu");
    assertThat(tooManyGpus.remedy()).doesNotContain("make the gang smaller");

    var tooMuchCpu = finding(2, new Resources(65_000, 0, Map.of(GPU, 8L)), Map.of());
    assertThat(tooMuchCpu.cause()).isEqualTo(Cause.TOO_LARGE);
    assertThat(tooMuchCpu.evidence()).endsWith(": the most that a node has is cpu 64");
    assertThat(tooMuchCpu.remedy()).doesNotContain("make the gang smaller");
  }
}
