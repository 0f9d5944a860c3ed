package io.muster.simulator.edl.regime;

import io.muster.controller.core.elastic.GangPolicy.HeadRoom;
import io.muster.simulator.edl.regime.BackingOffScheduler.Preference;
import io.muster.simulator.edl.regime.BackingOffScheduler.Retry;
import java.util.Optional;
import java.util.function.Function;

/** The regimes that are compared. Stateless. */
public final class Regimes {

  private Regimes() {}

  /** Pod by pod, jobs of one size. */
  public static Function<World, Regime> fixed() {
    return world -> new PodByPod(world, Optional.empty(), Retry.OF_2017, Preference.EMPTIEST);
  }

  /** EDL with the sign put right. */
  public static Function<World, Regime> edl(double load) {
    return edl(load, false, Preference.EMPTIEST);
  }

  /** EDL as it was measured. */
  public static Function<World, Regime> edlAsMeasured(double load) {
    return edl(load, true, Preference.EMPTIEST);
  }

  public static Function<World, Regime> edl(
      double load, boolean hasWrongSign, Preference preference) {
    var setting = new EdlLoop.Setting(load, hasWrongSign);
    return world -> new PodByPod(world, Optional.of(setting), Retry.OF_2017, preference);
  }

  /** Muster as it is set up by default. */
  public static Function<World, Regime> muster() {
    return muster(HeadRoom.WITHOUT_DEVICES, Preference.SPREAD);
  }

  public static Function<World, Regime> muster(HeadRoom headRoom, Preference preference) {
    var setting = new WholeGangs.Setting(headRoom, true, preference);
    return world -> new WholeGangs(world, setting);
  }

  /** Whole gangs of one size, one after the other. */
  public static Function<World, Regime> fixedGangs() {
    var setting = new WholeGangs.Setting(HeadRoom.NONE, false, Preference.SPREAD);
    return world -> new WholeGangs(world, setting);
  }
}
