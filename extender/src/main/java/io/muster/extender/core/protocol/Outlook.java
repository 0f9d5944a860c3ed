package io.muster.extender.core.protocol;

import io.muster.extender.core.cluster.Accelerators;
import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.plan.GangRequest;
import io.muster.extender.core.plan.Room;
import io.muster.extender.core.plan.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Answers those who make jobs larger and smaller: who waits, for what, and what would change it.
 * The same planner decides as for the gangs themselves. No answer changes anything but {@link
 * #isGivenRoom}, which holds preemption back. Confined to one thread at a time, like {@link
 * GangProtocol}.
 */
public final class Outlook {

  /** A job gets so long to let workers go. */
  private static final Duration GENTLER_WAY = Duration.ofSeconds(60);

  private final World world;
  private final Reservations reservations;
  private final Prospects prospects;

  Outlook(World world, Reservations reservations) {
    this.world = world;
    this.reservations = reservations;
    this.prospects = new Prospects(world);
  }

  /** Gangs that wait though enough of their members are there, in the order of the line. */
  public List<WaitingGang> waiting(Instant now) {
    return world.gangs().values().stream()
        .filter(Outlook::waits)
        .sorted(new Line(world).at(now))
        .map(gang -> new WaitingGang(gang.id, gang.priority))
        .toList();
  }

  private static boolean waits(GangState gang) {
    return gang.isWaiting() && gang.hasLiveMember() && gang.headcount.isComplete();
  }

  private Optional<GangState> waiting(GangId id) {
    return Optional.ofNullable(world.gangs().get(id)).filter(Outlook::waits);
  }

  /** Why there is no room for that gang, as it was last found; empty if it does not wait so. */
  public Optional<Shortage> shortage(GangId id) {
    return waiting(id)
        .filter(gang -> gang.trigger.isPresent())
        .map(gang ->
            new Shortage(
                gang.headcount.needed(),
                gang.trigger
                    .filter(Misfit.Later.class::isInstance)
                    .map(Misfit.Later.class::cast)
                    .map(Misfit.Later::asks),
                devices(gang),
                gang.verdict.orElse("")));
  }

  private List<Shortage.Amount> devices(GangState gang) {
    var demands = demands(gang);
    var needed = new TreeMap<String, Long>();
    for (var demand : demands) {
      demand
          .requests()
          .extended()
          .forEach((name, units) -> {
            if (Accelerators.isManaged(name) && units > 0) {
              needed.merge(name, units, Long::sum);
            }
          });
    }
    var shapes = Set.copyOf(demands);
    var open =
        world.inventory().snapshot().rooms().values().stream()
            .filter(room -> shapes.stream().anyMatch(room::isOpenTo))
            .toList();
    var amounts = new ArrayList<Shortage.Amount>();
    needed.forEach(
        (name, units) -> amounts.add(new Shortage.Amount(name, units, free(open, name))));
    return amounts;
  }

  private static long free(List<Room> rooms, String resource) {
    return rooms.stream().mapToLong(room -> Math.max(0, room.free(resource))).sum();
  }

  private static List<Demand> demands(GangState gang) {
    return Stream.concat(
            gang.headcount.chosen().stream().map(Pod::shape),
            gang.later.toCome().stream().map(GangPlans.Wanted::demand))
        .toList();
  }

  /** Nodes for one more pod like each of these; empty if there is not room for all. */
  public Optional<List<String>> places(List<String> podUids) {
    var demands = podUids.stream().flatMap(uid -> world.pod(uid).stream()).map(Pod::shape).toList();
    if (demands.size() < podUids.size()) {
      return Optional.empty();
    }
    var verdict =
        world.planner().decide(world.inventory().snapshot(), GangRequest.of(demands, Set.of()));
    return verdict instanceof Verdict.Placed(var nodes) ? Optional.of(nodes) : Optional.empty();
  }

  /** Whether these pods would start, were they made now. */
  public Prospect ifMade(List<Prospect.Lot> lots, Instant now) {
    return prospects.of(lots, waiting(now).size(), now);
  }

  /** The same, and if they would not: after whose end they would. */
  public Forecast forecast(List<Prospect.Lot> lots, Instant now) {
    return prospects.forecast(lots, waiting(now).size(), now);
  }

  /** Whether a waiting gang has a member that could be on one of these nodes, were it empty. */
  public boolean couldUse(GangId id, Collection<String> nodes) {
    var shapes = waiting(id).map(Outlook::demands).map(Set::copyOf).orElse(Set.of());
    return shapes.stream()
        .anyMatch(
            demand -> nodes.stream().anyMatch(node -> world.inventory().isOpenTo(node, demand)));
  }

  /** Somebody makes room for that gang in a gentler way: nobody is ended for it meanwhile. */
  public void isGivenRoom(GangId id, Instant now) {
    waiting(id).ifPresent(gang -> gang.entry.preemptAgainAt = now.plus(GENTLER_WAY));
  }

  /** Whether a waiting gang would fit if these pods were gone. */
  public boolean fitsWithout(GangId id, Collection<String> podUids, Instant now) {
    return waiting(id)
        .filter(gang -> world.inventory().asIfGone(podUids, () -> reservations.fits(gang, now)))
        .isPresent();
  }
}
