package io.muster.extender.core.decision.scheduling;

import io.muster.extender.core.decision.cache.RunningUnits.Unit;
import io.muster.extender.core.queue.Queues;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;

/**
 * What of all that runs is within the quota of its queue, and so not to be ended at the wish of
 * another queue.
 *
 * <ul>
 *   <li>Who has asked to be left alone is, as long as it is within the quota: first what cannot be
 *       ended at all counts for it, then those that have asked, the oldest first. Without a quota
 *       all of them are.
 *   <li>Of all others a queue keeps as much as its quota, whichever they are.
 * </ul>
 *
 * To be used before anything changes; confined to the decision thread.
 */
final class Shares {

  private static final Comparator<Unit> OLDEST_FIRST =
      Comparator.comparing(Unit::startedAt).thenComparing(Unit::name);

  private final Queues queues;
  private final Map<String, Long> toStay = new HashMap<>();
  private final Set<String> within = new HashSet<>();

  /**
   * @param held devices that each queue holds
   * @param running all that holds devices
   * @param isLeaving of whom it can be said that it will be gone before long
   */
  Shares(
      Queues queues,
      ToLongFunction<String> held,
      Collection<Unit> running,
      Predicate<Unit> isLeaving) {
    this.queues = queues;
    queues.all().forEach(queue -> toStay.put(queue.name(), held.applyAsLong(queue.name())));
    running.stream()
        .filter(isLeaving)
        .forEach(unit -> toStay.merge(unit.queue(), -unit.frees(), Long::sum));
    var counted = new HashMap<String, Long>();
    running.stream()
        .filter(unit -> unit.isEnding() ? !isLeaving.test(unit) : !unit.mayEnd())
        .forEach(unit -> counted.merge(unit.queue(), unit.frees(), Long::sum));
    running.stream()
        .filter(unit -> !unit.isEnding() && unit.mayEnd() && unit.isLeftAlone())
        .sorted(OLDEST_FIRST)
        .forEach(unit -> {
          long devices = counted.merge(unit.queue(), unit.frees(), Long::sum);
          if (queues.quota(unit.queue()).filter(quota -> devices > quota).isEmpty()) {
            within.add(unit.name());
          }
        });
  }

  /** Whether it may be ended by anybody. */
  boolean mayEnd(Unit unit) {
    return unit.mayEnd() && !within.contains(unit.name());
  }

  /**
   * Whether each of those in question may end, in some order, while its queue still holds more than
   * its quota.
   */
  boolean areOfExcess(List<Unit> victims, Predicate<Unit> isInQuestion) {
    var told = victims.stream().filter(unit -> !unit.isEnding()).toList();
    var ended = new HashMap<String, Long>();
    told.forEach(unit -> ended.merge(unit.queue(), unit.frees(), Long::sum));
    var last = new HashMap<String, Long>();
    told.stream()
        .filter(isInQuestion)
        .forEach(unit -> last.merge(unit.queue(), unit.frees(), Math::max));
    return last.entrySet().stream()
        .allMatch(each -> isAbove(each.getKey(), ended.get(each.getKey()) - each.getValue()));
  }

  /** In their order, without those in question that would end when their queue holds no more. */
  List<Unit> ofExcess(List<Unit> victims, Predicate<Unit> isInQuestion) {
    var ended = new HashMap<String, Long>();
    var left = new ArrayList<Unit>();
    for (var unit : victims) {
      if (unit.isEnding()) {
        left.add(unit);
      } else if (!isInQuestion.test(unit)
          || isAbove(unit.queue(), ended.getOrDefault(unit.queue(), 0L))) {
        ended.merge(unit.queue(), unit.frees(), Long::sum);
        left.add(unit);
      }
    }
    return left;
  }

  private boolean isAbove(String queue, long ended) {
    return queues
        .quota(queue)
        .filter(quota -> toStay.getOrDefault(queue, 0L) - ended > quota)
        .isPresent();
  }
}
