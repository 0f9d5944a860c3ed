package io.muster.extender.core.decision.burst;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.Pod.Grouping;
import io.muster.extender.core.gang.GangId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The objects that are made for gangs and stand beside their Gang: the NVLink domains that members
 * of one gang, or of a group, claim, and their PodGroups. Of which gangs they are known to be
 * there, of which shape, and of which they are being made. No gate is opened before all are there
 * as they are wanted. Confined to the decision thread.
 */
public final class Companions {

  /**
   * What the members say that goes into them.
   *
   * @param minCount of the PodGroup; 0 where there is none
   * @param priority the highest of a member
   */
  public record Shape(int minCount, int priority) {

    boolean isMetBy(Shape made) {
      return made.priority == priority && made.minCount <= minCount;
    }
  }

  private final Map<GangId, Shape> made = new HashMap<>();
  private final Map<GangId, Shape> underWay = new HashMap<>();

  /** Those that have gone, or have another shape by now, while they were being made. */
  private final Set<GangId> outdated = new HashSet<>();

  private boolean hasFailed;

  /** Whether one may be there, of this life of Muster or of an earlier one. */
  private boolean mayBeThere = true;

  /** Whether the member claims the domain, or is in the PodGroup. */
  public static boolean areNeededBy(Pod member) {
    return member.origin().grouping() == Grouping.OWN
        || member.membership().filter(of -> of.nvlink().isClaimed()).isPresent();
  }

  /** Whether those of all these gangs are there, each for that minimum or for less. */
  public boolean includeAtMost(Map<GangId, Shape> wanted) {
    return wanted.entrySet().stream()
        .allMatch(entry ->
            Optional.ofNullable(made.get(entry.getKey()))
                .filter(entry.getValue()::isMetBy)
                .isPresent());
  }

  /** Whether those of all these gangs are there, each of that shape. */
  public boolean include(Map<GangId, Shape> wanted) {
    return made.entrySet().containsAll(wanted.entrySet());
  }

  /** Those of them that are to be made now; taken to be under way from then on. */
  public List<GangId> takeMissing(Map<GangId, Shape> wanted) {
    mayBeThere = true;
    return wanted.entrySet().stream()
        .filter(entry -> !entry.getValue().equals(made.get(entry.getKey())))
        .filter(entry -> underWay.putIfAbsent(entry.getKey(), entry.getValue()) == null)
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Whether it is still to be told what became of some. */
  public boolean areUnderWay() {
    return !underWay.isEmpty();
  }

  /** The gang's are there, as they were asked for. */
  public void made(GangId gang) {
    var shape = underWay.remove(gang);
    hasFailed = false;
    if (shape != null && !outdated.remove(gang)) {
      made.put(gang, shape);
    }
  }

  /** They could not be made: the next time nothing is reserved before they are there. */
  public void failed(GangId gang) {
    underWay.remove(gang);
    outdated.remove(gang);
    hasFailed = true;
  }

  public boolean hasFailed() {
    return hasFailed;
  }

  /** They have gone with their owner, or what they are to be is to be said anew. */
  public void gone(GangId gang) {
    made.remove(gang);
    if (underWay.containsKey(gang)) {
      outdated.add(gang);
    }
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
    outdated.clear();
    hasFailed = false;
    mayBeThere = true;
  }
}
