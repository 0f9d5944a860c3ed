package io.muster.controller.core.elastic;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * CapacityOracle of which a test says no more than what fits: every pod is on one node, and asks
 * for one CPU.
 */
public abstract class AnyRoom implements CapacityOracle {

  /** Whom these are like; nobody if it is a gang. */
  protected static List<String> likes(Wish wish) {
    return switch (wish) {
      case Wish.OfGang _ -> List.of();
      case Wish.Like(var uids) -> uids;
      case Wish.At(var uids, var _) -> uids;
    };
  }

  @Override
  public boolean couldUse(Wish wish, String node) {
    return false;
  }

  @Override
  public Map<String, Site> sites(List<String> podUids, Collection<String> gone) {
    var sites = new HashMap<String, Site>();
    podUids.forEach(uid -> sites.put(uid, new Site("n", 0)));
    return sites;
  }

  @Override
  public Amounts asks(String podUid) {
    return new Amounts(1_000, 0, 1);
  }

  @Override
  public Amounts offered() {
    return Amounts.NONE;
  }

  @Override
  public Amounts asked() {
    return Amounts.NONE;
  }
}
