package io.muster.extender.core.decision.state;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.decision.burst.Reservation.OpenPlace;
import io.muster.extender.core.decision.member.Members;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Membership;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The pods that come later, as the members of a gang say, one for each gang of a group: which they
 * are among its members, and the room that is kept for them. Such a pod is a member that says
 * nothing of a later one itself and asks for as many devices as was said. It counts neither for the
 * minimum nor as one that starts with the others. Holds data and answers questions about it.
 * Confined to the decision thread.
 */
public final class DeferredPods {

  private final GangState gang;

  /** The room that is kept, by whose pod it is. */
  public final Map<GangId, OpenPlace> places = new TreeMap<>();

  private Optional<Instant> since = Optional.empty();

  DeferredPods(GangState gang) {
    this.gang = gang;
  }

  /** Whether the member is such a pod. */
  public boolean includes(Pod pod) {
    return !gang.terms.deferred().isEmpty()
        && pod.later().isEmpty()
        && pod.membership()
            .map(Membership::gang)
            .flatMap(id -> Optional.ofNullable(gang.terms.deferred().get(id)))
            .filter(said -> said.requests().devices() == pod.devices())
            .isPresent();
  }

  /** Those that have not started: as they ask where they are there, else as was said. */
  public List<Wanted> toCome() {
    var toCome = new ArrayList<Wanted>();
    gang.terms
        .deferred()
        .forEach((id, said) -> {
          var there = there(id);
          if (there.filter(gang.members::hasStarted).isEmpty()) {
            toCome.add(Wanted.deferred(id, there.map(Pod::demand).orElse(said)));
          }
        });
    return toCome;
  }

  /** The one of that gang, once it is there. */
  public Optional<Pod> there(GangId id) {
    return gang.membersOf(id).stream()
        .filter(this::includes)
        .filter(pod -> gang.members.isLive(pod) || gang.members.hasStarted(pod))
        .min(Members.ORDER);
  }

  /** The room kept for that pod. */
  public Optional<OpenPlace> placeOf(Pod pod) {
    return pod.membership().map(Membership::gang).map(places::get);
  }

  /** Devices that are kept. */
  public long devices() {
    return places.values().stream().mapToLong(OpenPlace::devices).sum();
  }

  /** What those ask for together whose room is kept and who are not there yet. */
  public Resources unmade() {
    return places.entrySet().stream()
        .filter(kept -> there(kept.getKey()).isEmpty())
        .map(kept -> kept.getValue().demand().requests())
        .reduce(Resources.NONE, Resources::plus);
  }

  /** What those ask for whose room is kept, in words. */
  public String asks() {
    return places.values().stream()
        .map(open -> open.demand().requests().shown())
        .collect(Collectors.joining("; "));
  }

  /** Whether there is nothing to do about them. */
  public boolean areNone() {
    return places.isEmpty() && since.isEmpty();
  }

  /** Since when a started gang waits for them; empty before, and once it waits for nobody. */
  public Optional<Instant> since() {
    return since;
  }

  public void since(Optional<Instant> value) {
    since = value;
  }
}
