package io.muster.extender.core.decision.terms;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.TermsObject;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The terms that stand in objects of the cluster, and the pods whose terms they are. A pod is taken
 * in with the terms as they are known; when they change it is to be taken in again. Confined to the
 * decision thread.
 */
public final class ObjectTerms {

  private final Map<TermsObject, Optional<Terms>> known = new HashMap<>();

  /** The members of one gang that say the same. */
  private record Sayers(GangId gang, Terms.InObject terms) {}

  /** Of one object so many are kept: what members say beside it is up to their users. */
  private static final int MOST_COMPLETED = 1_000;

  /** What members that say the same have in common, so that it is there once. */
  private final Map<TermsObject, Map<Sayers, Terms>> completed = new HashMap<>();

  /** Pods as they were seen, by uid, by the object that they point to. */
  private final Map<TermsObject, Map<String, Pod>> pods = new HashMap<>();

  /** The object that each of these pods points to, by uid. */
  private final Map<String, TermsObject> pointsTo = new HashMap<>();

  /** The pod with its terms, as far as they are known. */
  public Pod complete(Pod pod) {
    if (isOfNoGang(pod)) {
      return pod.withoutGang();
    }
    return pod.membership()
        .flatMap(this::complete)
        .map(pod::under)
        .or(() -> pod.observed().flatMap(this::complete).map(pod::observedUnder))
        .orElse(pod);
  }

  private Optional<Membership> complete(Membership member) {
    return inObject(member)
        .flatMap(terms ->
            known
                .getOrDefault(terms.object().whole(), Optional.empty())
                .map(stated -> completed(new Sayers(member.gang(), terms), stated)))
        .map(member::with);
  }

  private Terms completed(Sayers sayers, Terms stated) {
    var ofObject = completed.computeIfAbsent(sayers.terms().object().whole(), _ -> new HashMap<>());
    if (ofObject.size() >= MOST_COMPLETED) {
      ofObject.clear();
    }
    return ofObject.computeIfAbsent(sayers, _ -> sayers.terms().completedBy(stated, sayers.gang()));
  }

  /** Whether the object that the pod points to says that its pods are no gang. */
  private boolean isOfNoGang(Pod pod) {
    return pod.membership()
        .or(pod::observed)
        .flatMap(ObjectTerms::inObject)
        .map(terms -> known.get(terms.object().whole()))
        .filter(Optional::isEmpty)
        .isPresent();
  }

  /** The same for a pod that is in the cluster; it is remembered until it is gone. */
  public Pod seen(Pod pod) {
    var uid = pod.key().uid();
    var object =
        pod.membership()
            .or(pod::observed)
            .flatMap(ObjectTerms::inObject)
            .map(terms -> terms.object().whole());
    if (!object.equals(Optional.ofNullable(pointsTo.get(uid)))) {
      gone(uid);
    }
    object.ifPresent(terms -> {
      pointsTo.put(uid, terms);
      pods.computeIfAbsent(terms, _ -> new LinkedHashMap<>()).put(uid, pod);
    });
    return complete(pod);
  }

  public void gone(String uid) {
    var object = pointsTo.remove(uid);
    if (object != null) {
      var of = pods.get(object);
      of.remove(uid);
      if (of.isEmpty()) {
        pods.remove(object);
        completed.remove(object);
      }
    }
  }

  /** Notes what an object says; whether that is something else than before. */
  public boolean state(TermsObject said, Optional<Terms> terms) {
    var object = said.whole();
    boolean changed = !terms.equals(known.put(object, terms));
    if (changed) {
      completed.remove(object);
    }
    return changed;
  }

  /** Notes that the object is gone; whether it was there. */
  public boolean withdraw(TermsObject said) {
    var object = said.whole();
    completed.remove(object);
    return known.remove(object) != null;
  }

  /** The pods that point to the object, as they were seen. */
  public List<Pod> podsOf(TermsObject object) {
    return List.copyOf(pods.getOrDefault(object.whole(), Map.of()).values());
  }

  /** Others that point to the same object as the pod, as they were seen. */
  public List<Pod> podsBeside(Pod pod) {
    var uid = pod.key().uid();
    return Optional.ofNullable(pointsTo.get(uid)).map(this::podsOf).orElse(List.of()).stream()
        .filter(other -> !other.key().uid().equals(uid))
        .toList();
  }

  private static Optional<Terms.InObject> inObject(Membership member) {
    return Optional.of(member.terms())
        .filter(Terms.InObject.class::isInstance)
        .map(Terms.InObject.class::cast);
  }
}
