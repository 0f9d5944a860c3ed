package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.PinPolicy;
import io.muster.extender.core.protocol.Rules;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** When a gang that does not fit is tried again. */
final class WaitingLineTest {

  private static final Instant START = Instant.EPOCH;

  private final World world = new World(Deadlines.DEFAULT, Rules.extender(PinPolicy.NEVER));
  private final GangPlans plans = new GangPlans(world);
  private final Pins pins = new Pins(world);
  private final Reservations reservations = new Reservations(world, plans, pins);
  private final WaitingLine line = line();
  private final GangState gang = world.gangOf(aPod("g-0").gang("g", 1).build()).orElseThrow();

  private WaitingLine line() {
    var singles = new Singles(world, reservations);
    var barrier = new Barrier(world, reservations, singles, new ShadowGangs(world, reservations, new Explanations(world, plans)));
    var replacements = new ReplacementPlaces(world, plans, reservations);
    return new WaitingLine(
        world,
        plans,
        reservations,
        barrier,
        new Losses(world, reservations, replacements, singles, new Departures(world)),
        new LaterRoom(world, plans, reservations));
  }

  @BeforeEach
  void aGangWhoseOnlyNodeHasFailedIt() {
    world.inventory().seen(aNode("n0").gpus(1).build());
    gang.memberSeen(aPod("g-0").gpus(1).gang("g", 1).build(), START);
    reservations.blame(gang, "n0", START);
    line.advance(START);
    assertThat(gang.isWaiting()).isTrue();
  }

  @Test
  void whenANodeThatFailedItIsForgivenAndNotBefore() {
    assertThat(line.isTimeUp(START.plusMillis(500))).isFalse();
    line.advance(START.plusSeconds(59));
    assertThat(gang.isWaiting()).isTrue();
    assertThat(line.isTimeUp(START.plusMillis(59_500))).isFalse();
    assertThat(line.isTimeUp(START.plusSeconds(60))).isTrue();

    line.advance(START.plusSeconds(60));

    assertThat(gang.places.values()).containsExactly("n0");
  }

  @Test
  void ofTwoThatWaitTheOneOfHigherPriorityGoesFirst() {
    var urgent = world.gangOf(aPod("h-0").gang("h", 1).build()).orElseThrow();
    urgent.memberSeen(
        aPod("h-0").gpus(1).gang("h", 1).priority(10).createdAt(START.plusSeconds(1)).build(),
        START.plusSeconds(1));

    line.advance(START.plusSeconds(60));

    assertThat(urgent.places.values()).containsExactly("n0");
    assertThat(gang.isWaiting()).isTrue();
  }

  @Test
  void onceAWhileIfItDoesNotFitThenEither() {
    world.inventory().occupy("another", "n0", aPod("another").gpus(1).build().demand().requests());

    line.advance(START.plusSeconds(60));

    assertThat(gang.isWaiting()).isTrue();
    assertThat(line.isTimeUp(START.plusMillis(60_500))).isFalse();
    assertThat(line.isTimeUp(START.plusSeconds(69))).isFalse();
    assertThat(line.isTimeUp(START.plusSeconds(71))).isTrue();
  }
}
