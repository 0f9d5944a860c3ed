package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.NamespaceQuota;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import io.muster.extender.core.queue.Queues;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How much pods that ask for next to nothing may have kept for pods that come later. */
final class LaterPodsSharesTest {

  private final ClusterSimulation cluster =
      new ClusterSimulation(1, Rules.extender(NodePinPolicy.NEVER));

  @BeforeEach
  void sixtyFourDevices() {
    for (int i = 0; i < 8; i++) {
      cluster.addNode(aNode("n" + i).gpus(8).build());
    }
    after(1);
  }

  private void after(long seconds) {
    cluster.runUntil(cluster.sinceStart().plusSeconds(seconds));
  }

  /** A gang of one, which says that a pod with eight devices follows. */
  private void promising(String name) {
    var later = aPod("team-b", name + "-later").gpus(8).gang(name, 1).build();
    cluster.create(
        aPod("team-b", name + "-0")
            .cpuMillis(10)
            .gang(name, 1)
            .beforeOne(later)
            .createdAt(cluster.now())
            .build());
  }

  private void gang(String namespace, String name, int members) {
    for (int i = 0; i < members; i++) {
      cluster.create(
          aPod(namespace, name + "-" + i)
              .gpus(8)
              .gang(name, members)
              .createdAt(cluster.now())
              .build());
    }
  }

  private long keeping(int gangs) {
    long keeping = 0;
    for (int i = 0; i < gangs; i++) {
      keeping += cluster.report("small-" + i).message().contains("room is kept") ? 1 : 0;
    }
    return keeping;
  }

  @Test
  void aQuarterOfTheClusterIsKeptForPodsToComeAndNoMore() {
    for (int i = 0; i < 8; i++) {
      promising("small-" + i);
    }
    after(10);
    for (int i = 0; i < 8; i++) {
      assertThat(cluster.boundOf("small-" + i)).isEqualTo(1);
    }
    assertThat(keeping(8)).isEqualTo(2);
    gang("team-a", "large", 6);
    after(15);
    assertThat(cluster.boundOf("large")).isEqualTo(6);
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void nothingIsKeptBeyondTheQuotaOfTheQueue() {
    cluster.configure(
        new Queues(
            List.of(
                new Queue(
                    "research",
                    1,
                    Optional.of(8L),
                    Optional.empty(),
                    Order.PRIORITY,
                    false,
                    Optional.empty(),
                    Set.of("team-b")),
                new Queue(
                    "speech",
                    1,
                    Optional.of(56L),
                    Optional.empty(),
                    Order.PRIORITY,
                    false,
                    Optional.empty(),
                    Set.of("team-a")))));
    promising("small-0");
    promising("small-1");
    after(10);
    assertThat(cluster.boundOf("small-1")).isEqualTo(1);
    assertThat(keeping(2)).isEqualTo(1);
    gang("team-a", "large", 7);
    after(15);
    assertThat(cluster.boundOf("large")).isEqualTo(7);
    assertThat(cluster.faults).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {3, 4})
  void whatWasKeptGoesWithTheGangThatEndsForAnother(int members) {
    cluster.ownersReplace = true;
    cluster.configure(new Queues(List.of(queue("research", "team-b"), queue("speech", "team-a"))));
    var later = aPod("team-b", "small-later").gpus(8).gang("small", 1).build();
    cluster.create(
        aPod("team-b", "small-0").gpus(8).gang("small", 1).beforeOne(later).priority(-1).build());
    after(10);
    for (int i = 0; i < 4; i++) {
      cluster.create(aPod("team-b", "big-" + i).gpus(8).gang("big", 4).toBeLeftAlone().build());
    }
    after(10);
    assertThat(cluster.report("small").message()).contains("room is kept");
    assertThat(cluster.boundOf("big")).isEqualTo(4);

    gang("team-a", "owner", members);
    after(60);
    assertThat(cluster.boundOf("owner")).isEqualTo(members);
    assertThat(cluster.boundOf("big")).isEqualTo(4);
  }

  private void limit(String namespace, String name, String resource, long left) {
    cluster.limit(new NamespaceQuota(namespace, name, Map.of(resource, left)));
  }

  @Test
  void nothingIsKeptForPodsThatCouldNotBeMade() {
    limit("team-b", "none", "nvidia.com/gpu", 0);
    promising("small-0");
    after(10);
    assertThat(cluster.boundOf("small-0")).isEqualTo(1);
    assertThat(keeping(1)).isZero();
    gang("team-a", "large", 8);
    after(15);
    assertThat(cluster.boundOf("large")).isEqualTo(8);
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void noMoreIsKeptThanTheTightestResourceQuotaOfTheNamespaceLeaves() {
    limit("team-b", "wide", "nvidia.com/gpu", 64);
    limit("team-b", "tight", "nvidia.com/gpu", 15);
    limit("team-b", "others", "amd.com/gpu", 0);
    limit("team-a", "none", "nvidia.com/gpu", 0);
    promising("small-0");
    promising("small-1");
    after(10);
    assertThat(cluster.boundOf("small-1")).isEqualTo(1);
    assertThat(keeping(2)).isEqualTo(1);

    cluster.unlimit("team-b", "tight");
    promising("small-2");
    after(10);
    assertThat(keeping(3)).isEqualTo(2);
    assertThat(cluster.faults).isEmpty();
  }

  @Test
  void theRoomOfAPodStaysWhenItsResourceQuotaCountsThePod() {
    limit("team-b", "eight", "nvidia.com/gpu", 8);
    promising("small-0");
    after(10);
    gang("team-a", "large", 7);
    gang("team-a", "next", 1);
    after(15);
    assertThat(cluster.boundOf("large")).isEqualTo(7);
    limit("team-b", "eight", "nvidia.com/gpu", 0);
    after(15);
    assertThat(cluster.boundOf("next")).isZero();

    cluster.create(
        aPod("team-b", "small-0-later")
            .gpus(8)
            .gang("small-0", 1)
            .createdAt(cluster.now())
            .build());
    after(15);
    assertThat(cluster.boundOf("small-0")).isEqualTo(2);
    assertThat(cluster.faults).isEmpty();
  }

  /** One that has been made counts in its ResourceQuota already. */
  @Test
  void onlyPodsThatAreStillToBeMadeAreComparedWithResourceQuotas() {
    var muster = new GangScheduler(Deadlines.DEFAULT, Rules.extender(NodePinPolicy.NEVER));
    var later = aPod("team-b", "small-0-later").gpus(8).gang("small-0", 1).build();
    var events = new ArrayList<Event>();
    cluster.nodes.values().forEach(node -> events.add(new Event.NodeSeen(node)));
    events.add(new Event.NamespaceQuotaSeen(gpus(0)));
    events.add(new Event.LeaseHeld(Instant.MAX, false));
    events.add(new Event.Ready());
    events.add(new Event.PodSeen(later));
    events.add(
        new Event.PodSeen(aPod("team-b", "small-0").gang("small-0", 1).beforeOne(later).build()));
    events.forEach(event -> muster.on(event, Instant.EPOCH));
    assertThat(keptBy(muster)).isEqualTo(8);

    var another = aPod("team-b", "small-1-later").gpus(8).gang("small-1", 1).build();
    muster.on(new Event.NamespaceQuotaSeen(gpus(8)), Instant.EPOCH);
    muster.on(
        new Event.PodSeen(aPod("team-b", "small-1").gang("small-1", 1).beforeOne(another).build()),
        Instant.EPOCH);
    assertThat(keptBy(muster)).isEqualTo(16);
  }

  private static NamespaceQuota gpus(long left) {
    return new NamespaceQuota("team-b", "gpus", Map.of("nvidia.com/gpu", left));
  }

  private static long keptBy(GangScheduler muster) {
    return muster.cluster().gangs().all().stream().mapToLong(gang -> gang.deferred.devices()).sum();
  }

  private static Queue queue(String name, String namespace) {
    return new Queue(
        name,
        1,
        Optional.of(32L),
        Optional.empty(),
        Order.PRIORITY,
        false,
        Optional.empty(),
        Set.of(namespace));
  }
}
