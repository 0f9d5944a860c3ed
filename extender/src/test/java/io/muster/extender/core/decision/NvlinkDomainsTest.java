package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.NvlinkDomain;
import io.muster.extender.core.gang.NvlinkDomain.Word;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.Event.CompanionsEnsured;
import io.muster.extender.core.protocol.GangReport;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.core.protocol.Rules;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Gangs whose members claim an NVLink domain, which is made before a gate is opened. */
final class NvlinkDomainsTest extends ProtocolScenes {

  private static final NvlinkDomain CLAIMED = new NvlinkDomain(Word.REQUIRED, true);
  private static final GangId G = new GangId(Dialect.KOORDINATOR, "ml", "g");

  private static final CompanionsEnsured.Obstacle OBSTACLE =
      new CompanionsEnsured.Obstacle("the domain is somebody else's", "delete it");

  @Test
  void gatesStayUntilTheDomainIsThere() {
    nodesOfOneClique();
    lead(false);
    var gang = gated("g", 2);
    var effects = seenAll(gang);
    assertThat(ensured(effects)).containsExactly(G);
    assertThat(ungated(effects)).isEmpty();
    assertThat(ensured(after(5))).isEmpty();
    assertThat(ungated(made(1))).containsExactlyInAnyOrderElementsOf(gang);
  }

  @Test
  void withoutADomainTheGangLeavesItsPlacesAndOthersGoOn() {
    nodesOfOneClique();
    lead(false);
    seenAll(gated("g", 2));
    failed(1);
    var others = members("h", 4, 4);
    assertThat(ask(others.getFirst(), FOUR)).isInstanceOf(Answer.Accept.class);
    assertThat(report(after(6)))
        .hasValueSatisfying(report -> {
          assertThat(report.reason()).isEqualTo(Reason.NVLINK_DOMAIN);
          assertThat(report.message()).isEqualTo(OBSTACLE.message());
          assertThat(report.remedy()).isEqualTo(OBSTACLE.remedy());
        });
  }

  /** Nobody ends, and nothing is kept, for a gang whose domain somebody keeps from being made. */
  @Test
  void afterAFailureNothingIsReservedBeforeTheDomainIsThere() {
    nodesOfOneClique();
    lead(false);
    var gang = gated("g", 4);
    seenAll(gang);
    failed(1);
    var again = 0;
    for (int round = 0; round < 4; round++) {
      again += ensured(after(20)).size();
      var single = member("single", round, 1).build();
      seen(single);
      assertThat(ask(single, FOUR)).isInstanceOf(Answer.Accept.class);
      on(new Event.PodGone(single.key()));
      failed(1);
    }
    assertThat(again).isBetween(3, 4);
    after(300);
    assertThat(ungated(made(1))).containsExactlyInAnyOrderElementsOf(gang);
  }

  @Test
  void aClusterWithoutComputeDomainsIsSaidAndNobodyElseWaits() {
    nodesOfOneClique();
    on(new Event.DomainsServed(false));
    lead(false);
    var gang = gated("g", 2);
    assertThat(ensured(seenAll(gang))).isEmpty();
    var others = members("h", 4, 4);
    assertThat(ask(others.getFirst(), FOUR)).isInstanceOf(Answer.Accept.class);
    others.forEach(pod -> on(new Event.PodGone(pod.key())));
    assertThat(report(after(6)))
        .hasValueSatisfying(report -> {
          assertThat(report.reason()).isEqualTo(Reason.NVLINK_DOMAIN);
          assertThat(report.message()).contains("no ComputeDomains (resource.nvidia.com/v1beta1)");
          assertThat(report.remedy()).contains("install NVIDIA's DRA driver");
        });
    assertThat(ensured(on(new Event.DomainsServed(true)))).containsExactly(G);
    assertThat(ungated(made(1))).containsExactlyInAnyOrderElementsOf(gang);
  }

  @Test
  void membersThatDoNotAgreeAreToldTheAllowedWords() {
    nodesOfOneClique();
    lead(false);
    seen(member("g", 0, 2).nvlink(CLAIMED).gated().build());
    var other = member("g", 1, 2).nvlink(new NvlinkDomain(Word.AUTO, true)).gated().build();
    assertThat(ensured(seen(other))).isEmpty();
    assertThat(report(after(6)))
        .hasValueSatisfying(report -> {
          assertThat(report.reason()).isEqualTo(Reason.NVLINK_DOMAIN);
          assertThat(report.message()).contains("muster.io/nvlink-domain: auto, required");
          assertThat(report.remedy()).contains("auto, none, required");
        });

    on(new Event.PodGone(other.key()));
    var again = member("g", 1, 2).uid("again").nvlink(CLAIMED).gated().build();
    assertThat(ensured(seen(again))).as("what the other one said went with it").containsExactly(G);
  }

  @Test
  void requiredIsOneCliqueWhereAutoIsAnyNodesIfNoCliqueIsLargeEnough() {
    clique("a", "n0", "n1");
    clique("b", "n2", "n3", "n4");
    lead(false);
    var auto = new NvlinkDomain(Word.AUTO, false);
    var inOne = placed("g", 3, new NvlinkDomain(Word.REQUIRED, false));
    assertThat(inOne).containsExactlyInAnyOrder("n2", "n3", "n4");
    var anywhere = placed("h", 2, auto);
    assertThat(anywhere).containsExactlyInAnyOrder("n0", "n1");
  }

  @Test
  void requiredWaitsWhereNoCliqueHoldsTheGang() {
    clique("a", "n0", "n1");
    clique("b", "n2", "n3");
    lead(false);
    seenAll(gated("g", 3));
    assertThat(report(after(6)))
        .hasValueSatisfying(report -> {
          assertThat(report.reason()).isEqualTo(Reason.TOPOLOGY);
          assertThat(report.message()).contains(NvlinkDomain.LEVEL);
        });
  }

  @Test
  void theAnswerForAnEarlierIncarnationOpensNoGate() {
    nodesOfOneClique();
    lead(false);
    var first = gated("g", 2);
    seenAll(first);
    first.forEach(pod -> on(new Event.PodGone(pod.key())));
    var second =
        List.of(
            member("g", 0, 2).uid("x").nvlink(CLAIMED).gated().build(),
            member("g", 1, 2).uid("y").nvlink(CLAIMED).gated().build());
    var effects = seenAll(second);
    assertThat(ensured(effects)).containsExactly(G);
    assertThat(ungated(made(1))).isEmpty();
    assertThat(ungated(made(2))).containsExactlyInAnyOrderElementsOf(second);
  }

  /** As where an earlier leader could not delete it. */
  @Test
  void aGangObjectThatHasOutlivedItsGangKeepsNoGateShut() {
    nodesOfOneClique();
    lead(false);
    var gang = gated("g", 2);
    assertThat(ensured(seenAll(gang))).containsExactly(G);
    on(new Event.RecordAhead(G, 5, 1));
    assertThat(ungated(made(1))).isEmpty();
    assertThat(ensured(after(2))).containsExactly(G);
    assertThat(ungated(made(6))).containsExactlyInAnyOrderElementsOf(gang);
  }

  @Test
  void aGangThatIsDeletedWhileItsDomainIsMadeHasItDropped() {
    nodesOfOneClique();
    lead(false);
    var gang = gated("g", 2);
    seenAll(gang);
    var effects = new ArrayList<Effect>();
    gang.forEach(pod -> effects.addAll(on(new Event.PodGone(pod.key()))));
    effects.addAll(made(1));
    effects.addAll(after(30));
    assertThat(ungated(effects)).isEmpty();
    assertThat(effects).filteredOn(new Effect.DropCompanions(G)::equals).hasSize(1);
  }

  @Test
  void theDomainGoesOnceTheLastMemberHasEndedAndNotBefore() {
    nodesOfOneClique();
    lead(false);
    seenAll(gated("g", 2));
    made(1);
    var effects = new ArrayList<Effect>();
    effects.addAll(seen(member("g", 0, 2).nvlink(CLAIMED).on("n0").build()));
    effects.addAll(seen(member("g", 1, 2).nvlink(CLAIMED).on("n1").build()));
    effects.addAll(after(5));
    effects.addAll(seen(ended(0)));
    effects.addAll(seen(member("g", 1, 2).nvlink(CLAIMED).on("n1").deleting().build()));
    effects.addAll(after(5));
    assertThat(effects).doesNotContain(new Effect.DropCompanions(G));
    effects.clear();
    effects.addAll(seen(ended(1)));
    effects.addAll(after(60));
    assertThat(effects).filteredOn(new Effect.DropCompanions(G)::equals).hasSize(1);
  }

  @Test
  void aNewLeaderMakesSureOfTheDomainBeforeItOpensAGate() {
    nodesOfOneClique();
    var gang = gated("g", 2);
    seenAll(gang);
    var effects = new ArrayList<Effect>();
    effects.addAll(on(new Event.LeaseHeld(Instant.MAX, true)));
    effects.addAll(on(new Event.Ready()));
    assertThat(ensured(effects)).containsExactly(G);
    assertThat(ungated(effects)).isEmpty();
    assertThat(ungated(made(1))).hasSize(2);
  }

  @Test
  void whereNobodyAsksNoRecordIsWrittenBeforeTheDomainIsThere() {
    var affinity = new GangScheduler(Deadlines.DEFAULT, Rules.affinity());
    for (var name : FOUR) {
      affinity.on(
          new Event.NodeSeen(aNode(name).gpus(1).label(NvlinkDomain.LEVEL, "a").build()), now);
    }
    affinity.on(new Event.LeaseHeld(Instant.MAX, false), now);
    affinity.on(new Event.Ready(), now);
    var effects = new ArrayList<Effect>();
    gated("g", 2).forEach(pod -> effects.addAll(affinity.on(new Event.PodSeen(pod), now)));
    assertThat(ensured(effects)).containsExactly(G);
    assertThat(effects).noneMatch(Effect.WriteRecord.class::isInstance);
    assertThat(affinity.on(new CompanionsEnsured(G, 1, Optional.empty()), now))
        .anyMatch(Effect.WriteRecord.class::isInstance);
  }

  private void nodesOfOneClique() {
    clique("a", FOUR);
  }

  private void clique(String name, String... nodes) {
    for (var node : nodes) {
      on(new Event.NodeSeen(aNode(node).gpus(1).label(NvlinkDomain.LEVEL, name).build()));
    }
  }

  private List<Pod> gated(String gang, int count) {
    var members = new ArrayList<Pod>();
    for (int i = 0; i < count; i++) {
      members.add(member(gang, i, count).nvlink(CLAIMED).gated().build());
    }
    return members;
  }

  private List<String> placed(String gang, int count, NvlinkDomain said) {
    var members = new ArrayList<Pod>();
    for (int i = 0; i < count; i++) {
      members.add(member(gang, i, count).nvlink(said).build());
      seen(members.getLast());
    }
    return members.stream().map(pod -> placeOf(pod, "n0", "n1", "n2", "n3", "n4")).toList();
  }

  private List<Effect> seenAll(List<Pod> pods) {
    var effects = new ArrayList<Effect>();
    pods.forEach(pod -> effects.addAll(seen(pod)));
    return effects;
  }

  private static Pod ended(int index) {
    PodBuilder pod = member("g", index, 2).nvlink(CLAIMED).on("n" + index);
    return pod.phase(Pod.Phase.SUCCEEDED).build();
  }

  private List<Effect> made(long incarnation) {
    return on(new CompanionsEnsured(G, incarnation, Optional.empty()));
  }

  private void failed(long incarnation) {
    on(new CompanionsEnsured(G, incarnation, Optional.of(OBSTACLE)));
  }

  private static List<GangId> ensured(List<Effect> effects) {
    return effects.stream()
        .filter(Effect.EnsureCompanions.class::isInstance)
        .map(effect -> ((Effect.EnsureCompanions) effect).gang().gang())
        .toList();
  }

  private List<Pod> ungated(List<Effect> effects) {
    return effects.stream()
        .filter(Effect.Ungate.class::isInstance)
        .map(effect -> muster.cluster().pod(((Effect.Ungate) effect).pod().uid()).orElseThrow())
        .toList();
  }

  private static Optional<GangReport> report(List<Effect> effects) {
    return effects.stream()
        .filter(Effect.WriteReport.class::isInstance)
        .map(Effect.WriteReport.class::cast)
        .filter(write -> write.gang().gang().equals(G))
        .map(Effect.WriteReport::report)
        .reduce((_, last) -> last);
  }
}
