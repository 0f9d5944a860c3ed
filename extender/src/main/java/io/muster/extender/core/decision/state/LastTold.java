package io.muster.extender.core.decision.state;

import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.GangReport;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What was last said about one gang, and when: on its objects, on its members, and by events, so
 * that nothing is said twice or too often. Confined to the decision thread.
 */
public final class LastTold {

  /** What was last handed over to be stored of a gang. */
  public record Told(GangRecord record, GangReport report) {}

  private final Map<GangId, Told> objects = new HashMap<>();
  private Instant reportedAt = Instant.MIN;
  private final Map<String, String> members = new HashMap<>();
  private final Set<String> shown = new HashSet<>();
  private Instant memberAt = Instant.MIN;
  private Instant sampledAt = Instant.MIN;
  private Optional<String> announced = Optional.empty();

  /** Whether nothing has been said on any object. */
  public boolean isNothing() {
    return objects.isEmpty();
  }

  /** What was last handed over for that object. */
  public Optional<Told> of(GangId gang) {
    return Optional.ofNullable(objects.get(gang));
  }

  /** The objects of which anything was handed over, as they change. */
  Set<GangId> objects() {
    return Collections.unmodifiableSet(objects.keySet());
  }

  /** It is handed over, in whatever way; says whether it is news. */
  public boolean tell(GangId gang, Told told) {
    return !told.equals(objects.put(gang, told));
  }

  /** It is handed over as a report. */
  public void report(GangId gang, Told told, Instant now) {
    objects.put(gang, told);
    reportedAt = now;
  }

  public boolean wasReportedWithin(Duration time, Instant now) {
    return now.isBefore(reportedAt.plus(time));
  }

  /** What was said of another gang's objects was said of these. */
  public void takeOver(LastTold other) {
    objects.putAll(other.objects);
  }

  /** It was not stored, or is gone. */
  public void forget(GangId gang) {
    objects.remove(gang);
  }

  public void tellMember(String uid, String sentence, Instant now) {
    members.put(uid, sentence);
    memberAt = now;
  }

  public boolean wasMemberToldWithin(Duration time, Instant now) {
    return now.isBefore(memberAt.plus(time));
  }

  /** That member is shown as one for which there is no room; says whether it was not before. */
  public boolean show(String uid) {
    return shown.add(uid);
  }

  /** The uids of the members that are, as far as this process knows. */
  public Set<String> shown() {
    return Collections.unmodifiableSet(shown);
  }

  /** It is shown so no more. */
  public void hide(String uid) {
    shown.remove(uid);
  }

  /** What that member was last told. */
  public Optional<String> ofMember(String uid) {
    return Optional.ofNullable(members.get(uid));
  }

  public int membersTold() {
    return members.size();
  }

  void forgetMember(String uid) {
    members.remove(uid);
    shown.remove(uid);
  }

  public void forgetMembers() {
    members.clear();
    shown.clear();
  }

  /** The event that it is broken for that reason is sent; says whether it is news. */
  public boolean announce(String reason) {
    boolean isNews = !announced.equals(Optional.of(reason));
    announced = Optional.of(reason);
    return isNews;
  }

  /** That kube-scheduler offers some nodes only may be said now, and is. */
  public boolean announceSampling(Duration apart, Instant now) {
    if (now.isBefore(sampledAt.plus(apart))) {
      return false;
    }
    sampledAt = now;
    return true;
  }

  /** Another incarnation begins. */
  void beginIncarnation() {
    members.clear();
    shown.clear();
    announced = Optional.empty();
  }
}
