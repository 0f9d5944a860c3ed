package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.PodBuilder;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.Birth;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.PinPolicy;
import io.muster.extender.core.protocol.PlacementMode;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Waiting;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What may be kept for members that are not there yet, while others wait. */
final class SpeculationTest {

  private static final Birth FREE = new Birth.Free();
  private static final Birth GATED = new Birth.Gated();

  private Instant now = Instant.EPOCH;
  private GangProtocol muster = musterWith(25);

  private static GangProtocol musterWith(int share) {
    return new GangProtocol(
        Deadlines.DEFAULT,
        new Rules(PlacementMode.EXTENDER, PinPolicy.NEVER, share, Waiting.DEFAULT));
  }

  private void begin(String prefix, int nodes, String set) {
    for (int i = 0; i < nodes; i++) {
      muster.on(new Event.NodeSeen(aNode(prefix + i).gpus(1).label("set", set).build()), now);
    }
    muster.on(new Event.LeaseHeld(Instant.MAX, false), now);
    muster.on(new Event.Ready(), now);
  }

  private PodBuilder member(String gang, int index, int min) {
    return aPod(gang + "-" + index).gpus(1).gang(gang, min).createdAt(now);
  }

  private Birth firstBirth(String gang, int min, String set) {
    return muster.birth(member(gang, 0, min).selecting("set", set).build(), now).birth();
  }

  /** A gang of one that no node can hold. */
  private void somebodyWaits() {
    muster.on(new Event.PodSeen(aPod("big").gpus(2).gang("big", 1).gated().build()), now);
    now = now.plusSeconds(1);
  }

  @Test
  void whileNobodyWaitsAGangMayKeepAllRoom() {
    begin("n", 8, "a");
    assertThat(firstBirth("g", 8, "a")).isEqualTo(FREE);
  }

  @Test
  void whileOthersWaitAllTogetherKeepNoMoreThanTheirShare() {
    begin("n", 8, "a");
    somebodyWaits();
    assertThat(firstBirth("three", 3, "a")).isEqualTo(GATED);
    assertThat(firstBirth("two", 2, "a")).isEqualTo(FREE);
    assertThat(firstBirth("one-more", 1, "a")).as("two of eight are kept already").isEqualTo(GATED);
  }

  @Test
  void theShareIsFreeAgainWhenASpeculationHasEnded() {
    begin("n", 8, "a");
    somebodyWaits();
    assertThat(firstBirth("first", 2, "a")).isEqualTo(FREE);
    for (int i = 0; i < 5; i++) {
      now = now.plusSeconds(1);
      muster.on(new Event.Tick(), now);
    }
    assertThat(firstBirth("second", 2, "a")).isEqualTo(FREE);
  }

  @Test
  void aGangThatIsKeptBackIsPlannedOnceItsMembersAreThere() {
    begin("n", 8, "a");
    somebodyWaits();
    assertThat(firstBirth("g", 4, "a")).isEqualTo(GATED);
    var let = List.<Effect>of();
    for (int i = 0; i < 4; i++) {
      let = muster.on(new Event.PodSeen(member("g", i, 4).gated().build()), now);
    }
    assertThat(let).filteredOn(Effect.Ungate.class::isInstance).hasSize(4);
  }

  @Test
  void nothingIsKeptWhereAnOlderGangCouldGo() {
    muster = musterWith(100);
    begin("n", 4, "a");
    begin("m", 4, "b");
    for (int i = 0; i < 5; i++) {
      var older = member("older", i, 5).selecting("set", "a").gated().build();
      muster.on(new Event.PodSeen(older), now);
    }
    now = now.plusSeconds(1);
    assertThat(firstBirth("there", 2, "a")).isEqualTo(GATED);
    assertThat(firstBirth("elsewhere", 2, "b")).isEqualTo(FREE);
  }

  @Test
  void aYoungerGangThatWaitsKeepsNobodyBackFromItsNodes() {
    muster = musterWith(100);
    begin("n", 4, "a");
    var first = member("older", 0, 2).build();
    muster.on(new Event.PodSeen(first), now);
    now = now.plusSeconds(1);
    for (int i = 0; i < 5; i++) {
      muster.on(new Event.PodSeen(member("younger", i, 5).gated().build()), now);
    }
    assertThat(muster.filter(first, List.of("n0", "n1", "n2", "n3"), now).answer())
        .isInstanceOf(Answer.Accept.class);
  }

  @Test
  void aGangThatMissesMembersItselfKeepsNobodyBack() {
    begin("n", 4, "a");
    Pod lonely = member("lonely", 0, 4).gated().build();
    muster.on(new Event.PodSeen(lonely), now);
    now = now.plusSeconds(1);
    assertThat(firstBirth("g", 4, "a")).isEqualTo(FREE);
  }
}
