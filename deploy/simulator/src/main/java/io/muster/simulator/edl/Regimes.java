package io.muster.simulator.edl;

import io.muster.controller.core.elastic.GangPolicy.HeadRoom;
import io.muster.simulator.edl.BackingOffScheduler.Preference;
import io.muster.simulator.edl.BackingOffScheduler.Retry;
import java.util.Optional;
import java.util.function.Function;

/** The regimes that are compared. Stateless. */
final class Regimes {

  private Regimes() {}

  /** Pod by pod, jobs of one size. */
  static Function<World, Regime> fixed() {
    return world -> new PodByPod(world, Optional.empty(), Retry.OF_2017, Preference.EMPTIEST);
  }

  /** EDL with the sign put right. */
  static Function<World, Regime> edl(double load) {
    return edl(load, false, Preference.EMPTIEST);
  }

  /** EDL as it was measured. */
  static Function<World, Regime> edlAsMeasured(double load) {
    return edl(load, true, Preference.EMPTIEST);
  }

  static Function<World, Regime> edl(double load, boolean hasWrongSign, Preference preference) {
    var setting = new EdlLoop.Setting(load, hasWrongSign);
    return world -> new PodByPod(world, Optional.of(setting), Retry.OF_2017, preference);
  }

  /** Muster as it is set up by default. */
  static Function<World, Regime> muster() {
    return muster(HeadRoom.WITHOUT_DEVICES, Preference.SPREAD);
  }

  static Function<World, Regime> muster(HeadRoom headRoom, Preference preference) {
    var setting = new WholeGangs.Setting(headRoom, true, preference);
    return world -> new WholeGangs(world, setting);
  }

  /** Whole gangs of one size, one after the other. */
  static Function<World, Regime> fixedGangs() {
    var setting = new WholeGangs.Setting(HeadRoom.NONE, false, Preference.SPREAD);
    return world -> new WholeGangs(world, setting);
  }
}
