package io.muster.extender.core.decision.burst;

import io.muster.extender.core.gang.GangId;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The NVLink domains that members of one gang, or of a group, claim, and their PodGroups: of which
 * gangs they are known to be there, and of which they are being made. No gate is opened before all
 * are there. Confined to the decision thread.
 */
public final class NvlinkDomains {

  private final Set<GangId> made = new HashSet<>();
  private final Set<GangId> underWay = new HashSet<>();
  private boolean hasFailed;

  /** Whether one may be there, of this life of Muster or of an earlier one. */
  private boolean mayBeThere = true;

  /** Whether all of these are there. */
  public boolean include(Set<GangId> claiming) {
    return made.containsAll(claiming);
  }

  /** Those of them that are to be made now; taken to be under way from then on. */
  public List<GangId> takeMissing(Set<GangId> claiming) {
    mayBeThere = true;
    return claiming.stream().filter(gang -> !made.contains(gang) && underWay.add(gang)).toList();
  }

  /** Whether it is still to be told what became of some. */
  public boolean areUnderWay() {
    return !underWay.isEmpty();
  }

  /** The gang's is there. */
  public void made(GangId gang) {
    underWay.remove(gang);
    made.add(gang);
    hasFailed = false;
  }

  /** It could not be made: the next time nothing is reserved before it is there. */
  public void failed(GangId gang) {
    underWay.remove(gang);
    hasFailed = true;
  }

  public boolean hasFailed() {
    return hasFailed;
  }

  /** Its owner is gone, and it goes with it. */
  public void gone(GangId gang) {
    made.remove(gang);
  }

  /** Whether one may be there that is to go now; said once. */
  public boolean takeLeft() {
    boolean mayBe = mayBeThere;
    mayBeThere = false;
    made.clear();
    return mayBe;
  }

  /** Another incarnation begins; answers of the former one do not count. */
  public void forget() {
    made.clear();
    underWay.clear();
    hasFailed = false;
    mayBeThere = true;
  }
}
