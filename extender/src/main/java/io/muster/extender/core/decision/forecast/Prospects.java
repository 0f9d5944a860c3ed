package io.muster.extender.core.decision.forecast;

import io.muster.extender.core.cluster.Demand;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.decision.cache.ClusterState;
import io.muster.extender.core.decision.report.Messages;
import io.muster.extender.core.decision.state.GangState;
import io.muster.extender.core.decision.state.QueueEntry.Withheld;
import io.muster.extender.core.decision.state.Wanted;
import io.muster.extender.core.gang.Counted;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.TermsObject;
import io.muster.extender.core.gang.Topology;
import io.muster.extender.core.plan.GangRequest;
import io.muster.extender.core.plan.GangRequest.Part;
import io.muster.extender.core.plan.Verdict;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.core.protocol.query.Forecast;
import io.muster.extender.core.protocol.query.Forecast.Never.Cause;
import io.muster.extender.core.protocol.query.Prospect;
import io.muster.extender.core.queue.Refusal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Judges pods that do not exist yet: of each gang as many as its terms say must start together, of
 * pods without a gang all. Gangs are read as those that exist are, and the same planner finds
 * places in the same ledger, which stays as it is. Confined to the decision thread.
 */
public final class Prospects {

  private static final String ROOM = "there is room for all that must start together";

  private final ClusterState cluster;

  Prospects(ClusterState cluster) {
    this.cluster = cluster;
  }

  /**
   * Whether they would start.
   *
   * @param waiting gangs that are in the line already
   */
  public Prospect of(List<Prospect.Lot> lots, int waiting, Instant now) {
    return switch (asked(lots, now)) {
      case Asked.Faulty(var sentence) -> new Prospect(false, sentence);
      case Asked.Sound(_, var refusal) when refusal.isPresent() -> prospect(refusal.get(), waiting);
      case Asked.Sound(var request, _) -> prospect(request, decided(request), waiting);
    };
  }

  /** When they would start; by what {@link #of} says of now. */
  Forecast forecast(List<Prospect.Lot> lots, int waiting, Instant now, BooleanSupplier isGivenUp) {
    return switch (asked(lots, now)) {
      case Asked.Faulty(var sentence) -> new Forecast.Never(Cause.PODS, sentence);
      case Asked.Sound(_, var refusal) when refusal.isPresent() -> withheld(refusal.get());
      case Asked.Sound(var request, _) -> {
        var verdict = decided(request);
        var why = prospect(request, verdict, waiting).sentence();
        yield switch (verdict) {
          case Verdict.Placed(var nodes) -> new Forecast.Now(why, counted(nodes));
          case Verdict.NoRoom _ -> new Forecasts(cluster, isGivenUp).of(request, why);
        };
      }
    };
  }

  private static SortedMap<String, Integer> counted(List<String> nodes) {
    return nodes.stream()
        .collect(Collectors.toMap(Function.identity(), _ -> 1, Integer::sum, TreeMap::new));
  }

  /** What is asked of the planner for them. */
  private sealed interface Asked {

    /**
     * @param refusal why a queue would let them wait, whatever room there is
     */
    record Sound(GangRequest request, Optional<Refusal> refusal) implements Asked {}

    /** Nothing: they can never start as they stand. */
    record Faulty(String sentence) implements Asked {}
  }

  private static Forecast withheld(Refusal refusal) {
    boolean isForEver =
        switch (refusal) {
          case Refusal.Unknown _, Refusal.Barred _ -> true;
          case Refusal.Limit limit -> limit.more() > limit.limit();
          case Refusal.Lasting lasting -> lasting.more() > lasting.quota();
          case Refusal.Quota _, Refusal.Behind _ -> false;
        };
    var sentence = sentence(refusal);
    return isForEver ? new Forecast.Never(Cause.QUEUE, sentence) : new Forecast.Withheld(sentence);
  }

  private Asked asked(List<Prospect.Lot> lots, Instant now) {
    Map<GangId, GangState> gangs = new TreeMap<>();
    var single = new ArrayList<Demand>();
    var admission = new Admission(cluster.queues());
    int number = 0;
    for (var lot : lots) {
      for (int i = 0; i < lot.count(); i++) {
        var pod = cluster.objects().complete(numbered(lot.pod(), number++));
        var gang = ClusterState.unitOf(pod).map(id -> gangs.computeIfAbsent(id, GangState::new));
        gang.ifPresentOrElse(
            state -> state.memberSeen(pod, now),
            () -> {
              single.add(pod.shape());
              admission.add(pod);
            });
      }
    }
    var parts = new ArrayList<Part>();
    for (var gang : gangs.values()) {
      var fault = fault(gang);
      if (fault.isPresent()) {
        return new Asked.Faulty(fault.get());
      }
      parts.addAll(parts(gang));
      admission.add(gang);
    }
    parts.add(new Part(single, Topology.ANYWHERE));
    parts.removeIf(part -> part.members().isEmpty());
    return new Asked.Sound(new GangRequest(parts, Set.of()), admission.refusal());
  }

  private static Pod numbered(Pod pod, int number) {
    var key = new PodKey(pod.key().namespace(), "pod-" + number, "pod-" + number);
    return new Pod(
        key,
        pod.demand(),
        pod.progress(),
        pod.origin(),
        pod.membership(),
        pod.later(),
        Optional.empty(),
        pod.wishes());
  }

  /** What keeps the gang from ever starting as it stands. */
  private static Optional<String> fault(GangState gang) {
    var unplaceable =
        gang.members.all().stream().flatMap(pod -> pod.unplaceable().stream()).findFirst();
    if (unplaceable.isPresent()) {
      return unplaceable.map(Terms.Unplaceable::problem);
    } else if (!gang.counts.isComplete() && !gang.counts.lackingClaims().isEmpty()) {
      return Optional.of(Messages.of(gang, Reason.VOLUME_CLAIMS_MISSING).message());
    } else if (gang.terms.problem().isPresent()) {
      return gang.terms.problem().map(Terms.Unusable::problem);
    } else if (gang.terms.awaited().isPresent()) {
      return gang.terms.awaited().map(TermsObject::missing);
    } else if (gang.terms.quorum().isEmpty()) {
      return Optional.of(
          "gang %s starts with others, of which it has no members: %s"
              .formatted(gang.id, gang.terms.absentGangs()));
    } else if (!gang.counts.isComplete()) {
      return Optional.of(
          "gang %s needs %s, and there would be %d"
              .formatted(
                  gang.id,
                  Counted.of(gang.counts.needed(), "member"),
                  gang.counts.chosen().size()));
    }
    return Optional.empty();
  }

  /** Those that are close together, and those that come later. */
  private static List<Part> parts(GangState gang) {
    var chosen = gang.counts.chosen();
    var parts = new ArrayList<Part>();
    for (var neighbours : gang.terms.neighbours()) {
      var members =
          chosen.stream()
              .filter(pod -> gang.terms.neighboursOf(pod).equals(neighbours))
              .map(Pod::shape)
              .toList();
      parts.add(new Part(members, gang.terms.topologyOf(neighbours)));
    }
    var deferred = gang.deferred.toCome().stream().map(Wanted::demand).toList();
    parts.add(new Part(deferred, Topology.ANYWHERE));
    return parts;
  }

  private Verdict decided(GangRequest request) {
    return cluster.planner().decide(cluster.inventory().snapshot(), request);
  }

  private static String sentence(Refusal refusal) {
    return "%s; %s".formatted(refusal.sentence(), refusal.remedy());
  }

  private static String others(int waiting) {
    return waiting == 0
        ? ""
        : "; " + Counted.of(waiting, "gang", "waits", "wait") + " in line already";
  }

  private static Prospect prospect(Refusal refusal, int waiting) {
    return new Prospect(
        false, Withheld.by(refusal).reason().code(), sentence(refusal) + others(waiting));
  }

  private static Prospect prospect(GangRequest request, Verdict verdict, int waiting) {
    var others = others(waiting);
    return switch (verdict) {
      case Verdict.Placed _ -> new Prospect(true, ROOM + others);
      case Verdict.NoRoom noRoom ->
          new Prospect(
              false,
              "no room for %s: %s%s"
                  .formatted(
                      Counted.together(request.members().size()),
                      noRoom.tally().replaceFirst("\\.$", ""),
                      others));
    };
  }
}
