package io.muster.extender.core.decision;

import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.GangRecord.Phase;
import java.time.Instant;
import java.util.List;

/**
 * What has become due because time has passed: for all gangs together, and then for each in its
 * turn, so that a fault in one turn takes nothing from the next. Confined to the decision thread.
 */
final class PassingTime {

  private final World world;
  private final Expiry expiry;
  private final Rejections rejections;
  private final Losses losses;
  private final LaterRoom later;
  private final UnmarkedMembers unmarked;
  private final Repair repair;
  private final WaitingLine line;
  private final Reporter reporter;
  private final ShadowGangs shadow;
  private final ObservedGangs observed;
  private final Departures departures;
  private final Sightings sightings;

  /** The steps of one gang's turn, in their order. */
  record Parts(
      Expiry expiry,
      Rejections rejections,
      Losses losses,
      LaterRoom later,
      UnmarkedMembers unmarked,
      Repair repair,
      WaitingLine line,
      Reporter reporter) {}

  /** What is done for all gangs together. */
  record Common(
      ShadowGangs shadow, ObservedGangs observed, Departures departures, Sightings sightings) {}

  PassingTime(World world, Parts parts, Common common) {
    this.world = world;
    this.expiry = parts.expiry();
    this.rejections = parts.rejections();
    this.losses = parts.losses();
    this.later = parts.later();
    this.unmarked = parts.unmarked();
    this.repair = parts.repair();
    this.line = parts.line();
    this.reporter = parts.reporter();
    this.shadow = common.shadow();
    this.observed = common.observed();
    this.departures = common.departures();
    this.sightings = common.sightings();
  }

  /** Half a second has passed. */
  void advance(Instant now, boolean tells) {
    if (!world.isReady()) {
      return;
    }
    var faults = world.faults();
    world.forgetGone(now);
    faults.run("hearsay", () -> sightings.giveUpHearsay(now));
    faults.run("shadow", () -> shadow.advance(now));
    faults.run("observed", () -> observed.advance(now));
    faults.run("departures", () -> departures.advance(now));
    faults.run(
        "line",
        () -> {
          if (line.isTimeUp(now)) {
            world.planAgain();
          }
          line.beginTick();
        });
    reporter.beginTick();
    for (var gang : List.copyOf(world.gangs().values())) {
      if (!gang.idleness.lasts(gang, now)) {
        faults.run("time", gang, () -> turn(gang, now, tells));
      }
    }
  }

  /** What half a second may have made due for one gang. */
  private void turn(GangState gang, Instant now, boolean tells) {
    if (gang.quarantine.endsBy(now)) {
      gang.version++;
      world.planAgain();
    }
    if (gang.quarantine.holds()) {
      if (gang.quarantine.takeUntold()) {
        reporter.store(gang, now);
      }
      forgetIfOver(gang, now);
      return;
    }
    if (gang.quietAt == gang.version) {
      return;
    }
    gang.gateRemovals.due(now).forEach(world::emit);
    expiry.advance(gang, now);
    rejections.advance(gang, now);
    losses.advance(gang, now);
    later.advance(gang, now);
    unmarked.advance(gang, now);
    repair.advance(gang, now);
    if (line.isDue(gang, now)) {
      world.planAgain();
    }
    if (tells) {
      world.faults().run("report", gang, () -> tell(gang, now));
    }
    forgetIfOver(gang, now);
    if (isQuiet(gang)) {
      gang.quietAt = gang.version;
    }
    gang.idleness.note(gang, now);
  }

  private void tell(GangState gang, Instant now) {
    line.explain(gang, now);
    reporter.advance(gang, now);
  }

  private void forgetIfOver(GangState gang, Instant now) {
    if (gang.isForgotten(now)) {
      world.gangs().remove(gang.id);
      gang.terms.gangs().forEach(id -> world.emit(new Effect.Forget(id)));
    }
  }

  /** Whether only a change of its members can give it anything to do. */
  private static boolean isQuiet(GangState gang) {
    return gang.phase == Phase.RUNNING
        && gang.satisfied
        && !gang.members.isEmpty()
        && gang.lostSince.isEmpty()
        && gang.condemned.isEmpty()
        && gang.arrived.isEmpty()
        && gang.openPlaces.isEmpty()
        && gang.later.areNone()
        && gang.gateRemovals.areNone()
        && gang.toldMembers.isEmpty()
        && gang.candidates().isEmpty();
  }
}
