package io.muster.extender.core.decision.observe;

import io.muster.extender.core.bounds.Bounds;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.observe.DryRunGangs.Standing;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.shadow.ShadowCounts;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Counts what would have been different with Muster for the gangs of namespaces in shadow. Each
 * life of a gang is counted once; one that an earlier life of Muster has told of was counted by
 * that. Confined to the decision thread.
 */
final class ShadowTally {

  /** kube-scheduler binds the members of a whole gang one after the other too. */
  static final Duration ONE_AFTER_THE_OTHER = Duration.ofSeconds(10);

  private static final long MILLIS = 1_000;

  private final Map<GangId, Life> lives = new HashMap<>();
  private final Map<String, ShadowCounts> counts = new TreeMap<>();

  /** One life of a gang, and how far it has been counted. */
  private static final class Life {
    private final long incarnation;
    private boolean isTakenUp;
    private boolean isInPart;
    private long podsEarly;
    private Optional<Part> part = Optional.empty();

    Life(long incarnation) {
      this.incarnation = incarnation;
    }
  }

  /**
   * The time in which some members are bound and not enough.
   *
   * @param from which its devices are to be counted with the number below
   * @param deviceMillis of before that, not yet counted
   */
  private record Part(Instant since, Instant from, long bound, long devices, long deviceMillis) {

    Part at(Instant now, long boundNow, long devicesNow) {
      long lasted = Math.max(0, Duration.between(from, now).toMillis());
      return new Part(
          since,
          now,
          boundNow,
          devicesNow,
          Bounds.sum(deviceMillis, Bounds.product(devices, lasted)));
    }

    Part at(Instant now) {
      return at(now, bound, devices);
    }

    boolean isMoreThanAMoment(Instant now) {
      return !now.isBefore(since.plus(ONE_AFTER_THE_OTHER));
    }
  }

  /** An earlier life of Muster has stored something of that life of the gang. */
  void known(GangState gang) {
    var life = new Life(gang.incarnation());
    life.isTakenUp = true;
    lives.put(gang.id, life);
  }

  /** The gang was looked at, and stands so; to be told before it is marked as whole. */
  void looked(GangState gang, Standing standing, Instant now) {
    var life = lives.get(gang.id);
    if (life == null || life.incarnation != gang.incarnation()) {
      ended(gang.id, now);
      life = new Life(gang.incarnation());
      lives.put(gang.id, life);
      count(gang.id, new ShadowCounts(1, 0, 0, 0, 0, 0));
    }
    switch (standing) {
      case Standing.Half(int bound, _) when gang.terms.quorum().isPresent() ->
          inPart(gang, life, bound, now);
      case Standing.Whole _ -> whole(gang, life, now);
      case Standing.Over(boolean wasWhole) when wasWhole -> whole(gang, life, now);
      case Standing.Half _, Standing.Below _, Standing.Over _, Standing.Fits _, Standing.Waits _ ->
          close(gang.id, life, now);
    }
    life.isTakenUp = false;
  }

  private void whole(GangState gang, Life life, Instant now) {
    close(gang.id, life, now);
    if (!gang.satisfied()) {
      count(gang.id, new ShadowCounts(0, 1, 0, 0, 0, 0));
    }
  }

  private static void inPart(GangState gang, Life life, int bound, Instant now) {
    long devices =
        gang.members.live().stream()
            .filter(gang.members::hasStarted)
            .mapToLong(Pod::devices)
            .reduce(0, Bounds::sum);
    if (life.isTakenUp) {
      life.isInPart = true;
      life.podsEarly = bound;
    }
    var since = life.isTakenUp ? now.minus(ONE_AFTER_THE_OTHER) : now;
    life.part =
        Optional.of(
            life.part
                .map(part -> part.at(now, Math.max(part.bound(), bound), devices))
                .orElseGet(() -> new Part(since, now, bound, devices, 0)));
  }

  /** The gang has no member any more, or is not looked at any longer. */
  void ended(GangId id, Instant now) {
    Optional.ofNullable(lives.get(id)).ifPresent(life -> close(id, life, now));
  }

  /** Nothing is kept of it. */
  void forgotten(GangId id, Instant now) {
    ended(id, now);
    lives.remove(id);
  }

  private void close(GangId id, Life life, Instant now) {
    settle(id, life, now);
    life.part = Optional.empty();
  }

  /** What can be counted by now. */
  private void settle(GangId id, Life life, Instant now) {
    life.part
        .filter(part -> part.isMoreThanAMoment(now))
        .ifPresent(part -> {
          var grown = part.at(now);
          long more = Math.max(0, grown.bound() - life.podsEarly);
          long seconds = grown.deviceMillis() / MILLIS;
          count(id, new ShadowCounts(0, 0, life.isInPart ? 0 : 1, more, seconds, 0));
          life.isInPart = true;
          life.podsEarly += more;
          life.part =
              Optional.of(
                  new Part(
                      grown.since(),
                      now,
                      grown.bound(),
                      grown.devices(),
                      grown.deviceMillis() % MILLIS));
        });
  }

  private void count(GangId id, ShadowCounts more) {
    counts.merge(id.namespace(), more, ShadowCounts::plus);
  }

  /** What has been counted since the last such question, by namespace. */
  Map<String, ShadowCounts> take(Instant now) {
    lives.forEach((id, life) -> settle(id, life, now));
    var taken = new TreeMap<>(counts);
    counts.clear();
    taken.values().removeIf(ShadowCounts.NONE::equals);
    return taken;
  }
}
