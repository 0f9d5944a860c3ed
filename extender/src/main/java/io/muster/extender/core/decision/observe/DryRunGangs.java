package io.muster.extender.core.decision.observe;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.report.Explanations;
import io.muster.extender.core.decision.report.Messages;
import io.muster.extender.core.decision.report.Reporter;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.decision.state.LastTold;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.Effect;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.GangReport;
import io.muster.extender.core.protocol.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * Gangs that are counted and planned on paper only, to tell what has become of them without Muster
 * or what would become of them now. Nothing of theirs is reserved, held or ended. Confined to the
 * decision thread.
 */
public final class DryRunGangs {

  private static final Duration LOOKED_AT_APART = Duration.ofSeconds(5);

  /** Where hundreds of gangs wait, plans on paper must not keep those waiting who ask. */
  private static final int NODES_WALKED_A_TICK = 10_000;

  /** The object with the terms may be on its way, and may say that there is no gang. */
  private static final Duration UNTIL_AN_OBJECT_IS_MISSED = Duration.ofSeconds(5);

  private final ClusterState cluster;
  private final Explanations explanations;
  private final Reason reason;
  private final Wording wording;
  private final Watcher watcher;
  private final Map<GangId, GangState> gangs = new TreeMap<>();
  private final Map<GangId, Check> checks = new HashMap<>();

  /** Where such a gang stands. */
  sealed interface Standing {

    /**
     * All members have ended or are ending.
     *
     * @param wasWhole whether enough of them have been bound and have not failed
     */
    record Over(boolean wasWhole) implements Standing {}

    /** Enough members are bound. */
    record Whole(int bound, int minAvailable) implements Standing {}

    /** Some members are bound, and not enough. */
    record Half(int bound, int minAvailable) implements Standing {}

    /** Enough members were bound, and some of them are not there any more. */
    record Below(int bound, int minAvailable) implements Standing {}

    /** None is bound, and there is room for enough of them together. */
    record Fits(int minAvailable) implements Standing {}

    /** None is bound, and what Muster knows of keeps it from starting. */
    record Waits(String why) implements Standing {}
  }

  /** The sentence for a gang that stands so. */
  interface Wording {
    public String of(GangState gang, Standing standing);
  }

  /** Is told what is found of each gang. */
  interface Watcher {

    /** Takes no notice. */
    Watcher NONE = new Watcher() {};

    /** The gang was looked at, and stands so. */
    default void looked(GangState gang, Standing standing, Instant now) {}

    /** Nothing is kept of it here any more. */
    default void forgotten(GangId gang, Instant now) {}
  }

  /**
   * The members and the room in which a gang was last checked, and when.
   *
   * @param wholeIn the incarnation in which it was whole then; 0 if it was not
   */
  private record Check(long members, long room, long wholeIn, Instant at) {

    static final Check NEVER = new Check(-1, -1, 0, Instant.MIN);
  }

  /**
   * @param reason that stands in each report
   */
  DryRunGangs(
      ClusterState cluster,
      Explanations explanations,
      Reason reason,
      Wording wording,
      Watcher watcher) {
    this.cluster = cluster;
    this.explanations = explanations;
    this.reason = reason;
    this.wording = wording;
    this.watcher = watcher;
  }

  List<GangState> all() {
    return List.copyOf(gangs.values());
  }

  boolean has(GangId id) {
    return gangs.containsKey(id);
  }

  GangState gang(GangId id) {
    return gangs.computeIfAbsent(id, GangState::new);
  }

  void remove(GangState gang, Instant now) {
    watcher.forgotten(gang.id, now);
    gangs.remove(gang.id);
    checks.remove(gang.id);
  }

  void seen(Pod member, Instant now) {
    ClusterState.unitOf(member).ifPresent(id -> gang(id).memberSeen(member, now));
  }

  /** What is known of the member's gang here. */
  public Optional<GangState> find(Pod member) {
    return ClusterState.unitOf(member).map(gangs::get);
  }

  void gone(Pod member, Instant now) {
    find(member).ifPresent(gang -> gang.memberGone(member.key().uid(), now));
  }

  /** It is the same life of a gang that was kept elsewhere; its members follow one by one. */
  static void inherit(GangState from, GangState to) {
    to.goOn(from.toRecord(from.id));
    to.arrivals.empty(from.arrivals.emptySince());
    to.told.takeOver(from.told);
  }

  /** Tells what has changed, and forgets gangs that have had no member for long. */
  public void advance(Instant now) {
    advance(now, _ -> true);
  }

  /** The same for those gangs only. */
  public void advance(Instant now, Predicate<GangId> told) {
    var toBePlanned = new ArrayList<GangState>();
    for (var gang : all()) {
      if (!told.test(gang.id)) {
        continue;
      }
      gang.recovery.end();
      if (gang.isForgotten(now)) {
        remove(gang, now);
        gang.terms.gangs().forEach(id -> cluster.emit(new Effect.Forget(id)));
      } else if (isDue(gang, now)) {
        if (isToBePlanned(gang)) {
          toBePlanned.add(gang);
        } else {
          tell(gang, now);
        }
      }
    }
    toBePlanned.stream()
        .sorted(Comparator.comparing(gang -> lastCheck(gang).at()))
        .limit(plansATick())
        .forEach(gang -> tell(gang, now));
  }

  private int plansATick() {
    int nodes = Math.max(1, cluster.inventory().nodeCount());
    return Math.max(1, NODES_WALKED_A_TICK / nodes);
  }

  private Check lastCheck(GangState gang) {
    return checks.getOrDefault(gang.id, Check.NEVER);
  }

  private boolean isDue(GangState gang, Instant now) {
    var last = lastCheck(gang);
    if (last.members() == gang.version() && last.room() == cluster.inventory().generation()) {
      return false;
    }
    // A short one is whole for less than the time between two looks.
    boolean isNewlyWhole = isWhole(gang) && last.wholeIn() != gang.incarnation();
    boolean wasLookedAt = now.isBefore(last.at().plus(LOOKED_AT_APART));
    boolean mayBeNone =
        gang.terms.awaited().isPresent()
            && now.isBefore(gang.arrivals.latest().plus(UNTIL_AN_OBJECT_IS_MISSED));
    if ((wasLookedAt && !isNewlyWhole) || mayBeNone) {
      return false;
    }
    boolean isOverUntold = !gang.told.isNothing() && gang.phase() != Phase.FINISHED;
    return !gang.members.isEmpty() || isOverUntold;
  }

  /** Whether enough members are bound, or have succeeded. */
  private static boolean isWhole(GangState gang) {
    return gang.terms.quorum().isPresent() && gang.counts.needed() == 0;
  }

  private static boolean isToBePlanned(GangState gang) {
    return gang.members.isAnyLive()
        && gang.members.started() == 0
        && gang.counts.isComplete()
        && !isWhole(gang);
  }

  private void tell(GangState gang, Instant now) {
    checks.put(
        gang.id,
        new Check(
            gang.version(),
            cluster.inventory().generation(),
            isWhole(gang) ? gang.incarnation() : 0,
            now));
    var standing = standing(gang, now);
    watcher.looked(gang, standing, now);
    gang.enter(
        switch (standing) {
          case Standing.Over _ -> Phase.FINISHED;
          case Standing.Whole _, Standing.Below _ -> Phase.RUNNING;
          case Standing.Half _, Standing.Fits _, Standing.Waits _ -> Phase.WAITING;
        });
    var message = wording.of(gang, standing);
    for (var id : gang.terms.named()) {
      var plain = Reporter.report(gang, id);
      var report =
          new GangReport(gang.phase(), plain.members(), plain.bound(), reason, message, "");
      var told = new LastTold.Told(gang.toRecord(id), report);
      if (gang.told.tell(id, told)) {
        cluster.emit(new Effect.WriteReport(told.record(), told.report()));
      }
    }
  }

  private Standing standing(GangState gang, Instant now) {
    gang.enter(Phase.WAITING);
    if (!gang.members.isAnyLive()) {
      return new Standing.Over(isWhole(gang));
    }
    int bound = gang.members.started();
    int min = gang.terms.minAvailable();
    if (isWhole(gang)) {
      return new Standing.Whole(bound, min);
    }
    if (bound > 0 && gang.terms.quorum().isPresent()) {
      return gang.satisfied() ? new Standing.Below(bound, min) : new Standing.Half(bound, min);
    }
    gang.verdict.clear();
    boolean isComplete = gang.counts.isComplete();
    boolean fits = isComplete && explanations.explain(gang, now);
    if (isComplete && !fits) {
      explanations.diagnose(gang, now);
    }
    return fits
        ? new Standing.Fits(min)
        : new Standing.Waits(Messages.of(gang, Reporter.waitingReason(gang)).message());
  }
}
