package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.TermsBuilder;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.cluster.ResourceSum;
import io.muster.extender.core.gang.Terms.OnLoss;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.BindCall;
import io.muster.extender.core.protocol.BindingOutcome;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.Milestones;
import io.muster.extender.core.protocol.Milestones.PlanMiss;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.protocol.Usage;
import io.muster.extender.core.protocol.Usage.Cause;
import io.muster.extender.core.protocol.Usage.Delayed;
import io.muster.extender.core.protocol.Usage.Holder;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What gangs wait for, keep and waste, read at a moment. */
final class UsageTest extends GangScenes {

  private static final Instant START = Instant.EPOCH;

  private final GangScheduler muster =
      new GangScheduler(Deadlines.DEFAULT, Rules.extender(NodePinPolicy.NEVER));
  private final List<String> nodes = new ArrayList<>();
  private Instant now = START;

  private void lead(int nodeCount, int gpusEach) {
    for (int i = 0; i < nodeCount; i++) {
      nodes.add("n" + i);
      on(new Event.NodeSeen(aNode("n" + i).gpus(gpusEach).build()));
    }
    on(new Event.LeaseHeld(Instant.MAX, false));
    on(new Event.Ready());
  }

  private List<Effect> on(Event event) {
    return muster.on(event, now);
  }

  private List<Pod> members(String gang, int count, int min, int gpus) {
    var members = new ArrayList<Pod>();
    for (int i = 0; i < count; i++) {
      members.add(aPod("ml", gang + "-" + i).gpus(gpus).gang(gang, min).createdAt(now).build());
    }
    members.forEach(pod -> on(new Event.PodSeen(pod)));
    return members;
  }

  private Usage usageIn(long seconds) {
    now = now.plusSeconds(seconds);
    on(new Event.Tick());
    return muster.usage(now);
  }

  private void bindCall(long id, PodKey pod, String node) {
    muster.bind(new BindCall(id, pod, node), now);
  }

  private String placeOf(Pod pod) {
    return muster.filter(pod, nodes, now).answer() instanceof Answer.Accept(var names, var _)
        ? names.getFirst()
        : "none";
  }

  @Test
  void readsNothingBeforeTheClusterHasBeenRead() {
    on(new Event.NodeSeen(aNode("n0").gpus(8).build()));
    assertThat(muster.usage(now)).isEqualTo(Usage.NONE);
  }

  @Test
  void aGangThatTheFreeDevicesWouldDoForIsKeptByFragmentation() {
    lead(4, 1);
    members("g", 2, 2, 2);
    var usage = usageIn(7);

    assertThat(usage.waiting()).containsEntry(Reason.TOO_LARGE, 1);
    assertThat(usage.oldestWaiting()).isEqualTo(Duration.ofSeconds(7));
    assertThat(usage.delayed()).containsEntry(Cause.FRAGMENTATION, new Delayed(1, 4));
    assertThat(usage.freeDevices()).isEqualTo(4);
    assertThat(usage.strandedDevices()).isEqualTo(4);
    assertThat(usage.reserved()).containsEntry(Holder.INCOMPLETE, 0L);
  }

  @Test
  void whatAllPodsAskForAndTheNodesOfferIsSummedUp() {
    lead(2, 4);
    on(
        new Event.NodeSeen(
            aNode("cordoned").gpus(8).availability(Node.Availability.CORDONED).build()));
    var runs = members("g", 2, 2, 2);
    assertThat(usageIn(1).offered().devices()).isEqualTo(8);
    assertThat(usageIn(1).asked().devices()).isEqualTo(4);

    on(new Event.PodSeen(aPod("ml", "g-0").gpus(2).gang("g", 2).phase(Pod.Phase.FAILED).build()));
    assertThat(usageIn(1).asked().devices()).isEqualTo(2);
    runs.forEach(pod -> on(new Event.PodGone(pod.key())));
    on(new Event.NodeGone("n0"));
    var usage = usageIn(1);
    assertThat(usage.asked()).isEqualTo(ResourceSum.NONE);
    assertThat(usage.offered().devices()).isEqualTo(4);
  }

  @Test
  void freeDevicesCountForOneGangOnly() {
    lead(4, 1);
    members("older", 2, 2, 2);
    now = now.plusSeconds(1);
    members("younger", 2, 2, 2);

    var usage = usageIn(1);

    assertThat(usage.waiting()).containsEntry(Reason.TOO_LARGE, 2);
    assertThat(usage.delayed()).containsEntry(Cause.FRAGMENTATION, new Delayed(1, 4));
  }

  @Test
  void aGangThatTheClusterIsTooFullForWastesNothing() {
    lead(3, 1);
    members("g", 4, 4, 1);

    var usage = usageIn(1);

    assertThat(usage.waiting()).containsEntry(Reason.TOO_LARGE, 1);
    assertThat(usage.delayed()).allSatisfy((_, gangs) -> assertThat(gangs.gangs()).isZero());
    assertThat(usage.strandedDevices()).isZero();
  }

  @Test
  void devicesThatTheAverageMemberCannotUseAreStranded() {
    lead(2, 3);
    members("pairs", 8, 8, 2);
    members("singles", 8, 8, 1);

    var usage = usageIn(1);

    // Of 6 free devices a pair leaves one a node, a single none.
    assertThat(usage.freeDevices()).isEqualTo(6);
    assertThat(usage.strandedDevices()).isEqualTo(1);
  }

  @Test
  void missingMembersAreAssemblyAndHoldNothing() {
    lead(4, 1);
    members("g", 2, 3, 1);

    var usage = usageIn(1);
    assertThat(usage.waiting()).containsEntry(Reason.MEMBERS_MISSING, 1);
    assertThat(usage.reserved()).containsEntry(Holder.INCOMPLETE, 0L);
    assertThat(usage.delayed()).containsEntry(Cause.ASSEMBLY, new Delayed(1, 3));
    assertThat(usage.freeDevices()).isEqualTo(4);
  }

  @Test
  void aGangIsFollowedFromItsPlanToItsStart() {
    lead(2, 4);
    var members = members("g", 2, 2, 4);
    var planned = usageIn(3);
    assertThat(planned.delayed()).containsEntry(Cause.BARRIER, new Delayed(1, 8));
    assertThat(planned.reserved()).containsEntry(Holder.INCOMPLETE, 8L);
    assertThat(planned.oldestPlan()).isEqualTo(Duration.ofSeconds(3));

    var places = members.stream().map(this::placeOf).toList();
    bindCall(1, members.getFirst().key(), places.getFirst());
    bindCall(2, members.getLast().key(), places.getLast());
    var gang = members.getFirst().membership().orElseThrow().gang();
    on(new Event.RecordWritten(gang, 1, true));
    on(
        new Event.BindingEnded(
            gang, members.getFirst().key(), places.getFirst(), new BindingOutcome.Bound()));
    var binding = usageIn(1);
    assertThat(binding.delayed()).containsEntry(Cause.BINDING, new Delayed(1, 4));
    assertThat(binding.oldestPlan()).isZero();
    assertThat(muster.takeMilestones()).isEqualTo(Milestones.NONE);

    on(
        new Event.BindingEnded(
            gang, members.getLast().key(), places.getLast(), new BindingOutcome.Bound()));
    var started = usageIn(0);
    assertThat(started.reserved()).containsEntry(Holder.INCOMPLETE, 0L);
    assertThat(muster.takeMilestones().starts())
        .containsExactly(
            new Milestones.Start(Duration.ofSeconds(4), Optional.of(Duration.ofSeconds(4))));
    assertThat(muster.takeMilestones()).isEqualTo(Milestones.NONE);
  }

  @Test
  void aBindingThatFailedIsRepair() {
    lead(1, 1);
    var member = members("g", 1, 1, 1).getFirst();
    bindCall(1, member.key(), placeOf(member));
    var gang = member.membership().orElseThrow().gang();
    on(new Event.RecordWritten(gang, 1, true));
    on(
        new Event.BindingEnded(
            gang, member.key(), "n0", new BindingOutcome.Unanswered("the apiserver is away")));

    assertThat(usageIn(1).delayed()).containsEntry(Cause.REPAIR, new Delayed(1, 1));
  }

  @Test
  void anAttemptThatFailedIsHeldOff() {
    lead(1, 1);
    members("g", 1, 1, 1);
    usageIn(46);
    var held = muster.usage(now);
    assertThat(held.waiting()).containsEntry(Reason.HELD_OFF, 1);
    assertThat(held.delayed()).containsEntry(Cause.HOLD_OFF, new Delayed(1, 1));
    assertThat(usageIn(2).delayed()).containsEntry(Cause.BARRIER, new Delayed(1, 1));
  }

  @Test
  void aNodeThatIsNotOfferedOrHasChangedIsAPlanMiss() {
    lead(3, 1);
    var member = members("g", 1, 1, 1).getFirst();
    var others = new ArrayList<>(nodes);
    others.remove(placeOf(member));
    muster.filter(member, others, now);
    assertThat(muster.takeMilestones().planMisses())
        .containsExactly(Map.entry(PlanMiss.IN_TREE_REJECTED, 1));

    on(new Event.NodeGone(placeOf(member)));
    assertThat(muster.takeMilestones().planMisses()).containsExactly(Map.entry(PlanMiss.STALE, 1));
  }

  @Test
  void roomKeptForAReplacementIsAClaim() {
    gpuNodes(2);
    for (int i = 0; i < 2; i++) {
      cluster.create(replaceable(i));
    }
    cluster.runUntil(seconds(10));
    assertThat(cluster.muster().usage(cluster.now()).reserved()).containsEntry(Holder.CLAIM, 0L);

    cluster.delete("uid-g-1");
    cluster.runUntil(seconds(20));

    var usage = cluster.muster().usage(cluster.now());
    assertThat(usage.reserved())
        .containsEntry(Holder.CLAIM, 1L)
        .containsEntry(Holder.INCOMPLETE, 0L);
    assertThat(usage.freeDevices()).isZero();
    settled();
  }

  private Pod replaceable(int index) {
    PodBuilder member =
        aPod("ml", "g-" + index)
            .gpus(1)
            .gang("g", TermsBuilder.terms("g", 2).onLoss(OnLoss.REPLACE).build(), "");
    return member.createdAt(cluster.now()).build();
  }
}
