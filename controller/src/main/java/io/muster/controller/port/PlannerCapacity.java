package io.muster.controller.port;

import io.muster.controller.core.elastic.CapacityOracle;
import io.muster.extender.core.cluster.ResourceSum;
import io.muster.extender.core.decision.forecast.PlacementQueries;
import io.muster.extender.core.protocol.query.RoomFor;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * What the planner of gangs says of free capacity, for decisions about the sizes of jobs. While it
 * cannot answer, nothing fits and no pod is anywhere. As safe for concurrent use as the source.
 */
public record PlannerCapacity(Source source) implements CapacityOracle {

  /** Where the planner can be asked. */
  @FunctionalInterface
  public interface Source {

    /** The answer; empty while there is none. */
    <T> Optional<T> ask(BiFunction<PlacementQueries, Instant, T> question);
  }

  @Override
  public List<Optional<List<String>>> places(List<Wish> wishes, Collection<String> gone) {
    var asked = wishes.stream().map(PlannerCapacity::asked).toList();
    return source
        .ask((placementQueries, now) -> placementQueries.places(asked, gone, now))
        .orElseGet(() -> Collections.nCopies(wishes.size(), Optional.empty()));
  }

  private static RoomFor asked(Wish wish) {
    return switch (wish) {
      case Wish.OfGang(String gang) -> new RoomFor.Waiting(GangNames.read(gang));
      case Wish.Like(var uids) -> new RoomFor.Like(uids);
      case Wish.At(var uids, var nodes) -> new RoomFor.Placed(uids, nodes);
    };
  }

  @Override
  public boolean couldUse(Wish wish, String node) {
    return source
        .ask((placementQueries, _) -> placementQueries.couldUse(asked(wish), node))
        .orElse(false);
  }

  @Override
  public Map<String, Site> sites(List<String> podUids, Collection<String> gone) {
    var sites = new HashMap<String, Site>();
    source
        .ask((placementQueries, _) -> placementQueries.sites(podUids, gone))
        .orElse(Map.of())
        .forEach(
            (uid, site) -> sites.put(uid, new Site(site.node(), site.space(), site.segment())));
    return sites;
  }

  @Override
  public Amounts asks(String podUid) {
    return amounts(queries -> ResourceSum.NONE.plus(queries.asks(podUid)));
  }

  @Override
  public Amounts offered() {
    return amounts(PlacementQueries::offered);
  }

  @Override
  public Amounts asked() {
    return amounts(PlacementQueries::asked);
  }

  private Amounts amounts(Function<PlacementQueries, ResourceSum> question) {
    return source
        .ask((queries, _) -> question.apply(queries))
        .map(sum -> new Amounts(sum.cpuMillis(), sum.memoryBytes(), sum.devices()))
        .orElse(Amounts.NONE);
  }
}
