package io.muster.controller.framework;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.job.Job;
import io.muster.controller.core.state.Member;
import io.muster.controller.core.state.Observed;
import io.muster.controller.core.state.Observed.Refusal;
import io.muster.controller.kube.Remark;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What is known of a job of any kind besides what is stored. Lost with the process, and found out
 * again. Confined to one reconcile at a time.
 */
public class JobMemory {

  private static final Duration FIRST_PAUSE = Duration.ofSeconds(2);

  /** Half a minute. */
  private static final int MOST_FAILURES = 4;

  /** More than four minutes. */
  private static final int MOST_REFUSALS = 7;

  /** What a job was told lately is not told again; what is older may be. */
  private static final int MOST_REMARKS = 1_000;

  private static final int MOST_NAMES = 2 * Job.MOST_MEMBERS;

  /**
   * Of pods that are not taken for now, by the request for which they were to be made; empty: the
   * job's own. Each waits for itself.
   */
  private final Map<Optional<String>, LastRefusal> lastRefusals = new HashMap<>();

  /** What need not be tried any more, of all that was decided together. */
  private final Set<Alike> inVain = new HashSet<>();

  private final LinkedHashSet<Told> remarked = new LinkedHashSet<>();

  /** By name; the names of the last members are known too. */
  private final Map<String, String> uids =
      new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, String> eldest) {
          return size() > MOST_NAMES;
        }
      };

  private record Told(Remark remark, String occurrence) {}

  /**
   * @param times in a row
   */
  private record LastRefusal(Refusal refusal, int times) {}

  /** Pods that are made of one template for one purpose. */
  private record Alike(Optional<String> request, String role) {}

  private Optional<List<String>> told = Optional.empty();
  private Map<String, Boolean> attached = Map.of();
  private Optional<Instant> probedAt = Optional.empty();
  private final Map<String, HasMetadata> written = new HashMap<>();
  private final Set<String> deleted = new HashSet<>();
  private int failures;
  private final LinkedHashSet<String> facts = new LinkedHashSet<>();

  /** What the job said, by the uids of pods that wait. */
  private final Map<String, String> queuedAs = new HashMap<>();

  private boolean isClosed;

  /** Their generations by their uids. */
  private final Map<String, Long> leftAlone = new HashMap<>();

  /** A pause that ends later than any can was begun by a clock that has been set back since. */
  final void beginsAt(Instant now) {
    var latest = now.plus(pause(MOST_REFUSALS));
    lastRefusals.values().removeIf(known -> known.refusal().until().isAfter(latest));
  }

  private static Duration pause(int refusals) {
    return FIRST_PAUSE.multipliedBy(1L << refusals);
  }

  /** What that pod of the job's own needs is not taken for now. */
  public final void refused(String pod, String message, Instant now) {
    refused(Optional.empty(), pod, message, now);
  }

  /** That pod is not taken for now; others like it may be. */
  final void refused(Action.Create create, String message, Instant now) {
    refused(create.resize(), create.name(), message, now);
  }

  private void refused(Optional<String> request, String pod, String message, Instant now) {
    var before = Optional.ofNullable(lastRefusals.get(request));
    // Many that are refused at once are one refusal.
    boolean isAnother = before.filter(l -> now.isBefore(l.refusal().until())).isEmpty();
    int times = before.map(LastRefusal::times).orElse(0) + (isAnother ? 1 : 0);
    var until = now.plus(pause(Math.min(times - 1, MOST_REFUSALS)));
    lastRefusals.put(request, new LastRefusal(new Refusal(pod, message, until), times));
  }

  /** That pod is not taken for now, and nor would others like it be. */
  final void refusedAllLike(Action.Create create, String message, Instant now) {
    refused(create, message, now);
    inVain.add(new Alike(create.resize(), create.role()));
  }

  /** The apiserver has taken that pod. */
  final void allowed(Action.Create create) {
    lastRefusals.computeIfPresent(
        create.resize(), (_, known) -> known.refusal().pod().equals(create.name()) ? null : known);
  }

  /** Whether one like it was refused since it was decided what to do. */
  final boolean isInVain(Action.Create create) {
    return inVain.contains(new Alike(create.resize(), create.role()));
  }

  /**
   * It was decided what to do, and that this request is carried out now. What was refused for
   * others says nothing of it.
   */
  final void decided(Optional<String> request) {
    inVain.clear();
    lastRefusals.keySet().removeIf(known -> known.isPresent() && !known.equals(request));
  }

  /** The job's own first. */
  public final List<Refusal> refusals() {
    return lastRefusals.entrySet().stream()
        .sorted(Comparator.comparing(known -> known.getKey().orElse("")))
        .map(known -> known.getValue().refusal())
        .toList();
  }

  /**
   * Whether that is new to users.
   *
   * @param occurrence which of several times that the same comes about
   */
  public final boolean isNew(Remark remark, String occurrence) {
    boolean isNew = remarked.add(new Told(remark, occurrence));
    while (remarked.size() > MOST_REMARKS) {
      remarked.remove(remarked.getFirst());
    }
    return isNew;
  }

  /** The uid of the pod that had that name last, as far as it was seen. */
  public final String uidOf(String pod) {
    return uids.getOrDefault(pod, "");
  }

  /** Whether that was found out, or done once and for all. */
  public final boolean knows(String fact) {
    return facts.contains(fact);
  }

  /** The last ones are known; what is older is found out, or done, once more. */
  public final void know(String fact) {
    facts.add(fact);
    while (facts.size() > MOST_NAMES) {
      facts.remove(facts.getFirst());
    }
  }

  /** Of these pods it may be known how their job was when their queues were looked at. */
  final void requeued(Set<String> pods) {
    queuedAs.keySet().retainAll(pods);
  }

  /** Whether that pod is in the queue that its job names, as users have written the job. */
  final boolean isQueuedAs(String said, String pod) {
    return said.equals(queuedAs.get(pod));
  }

  final void queuedAs(String said, String pod) {
    queuedAs.put(pod, said);
  }

  /** The members of which the one that decides knows from now on. */
  public final void told(List<String> members) {
    told = Optional.of(List.copyOf(members));
  }

  /** Which members the one that decides works with, as it was found out. */
  public final void probed(Map<String, Boolean> found, Instant now) {
    attached = Map.copyOf(found);
    probedAt = Optional.of(now);
  }

  /** That pod goes, though the cache may not show it yet. */
  public final void deleted(String podUid) {
    deleted.add(podUid);
  }

  /** The members as they are, after what was done to them. */
  public final List<Member> afterDeletions(List<Member> seen) {
    seen.forEach(member -> uids.put(member.name(), member.uid()));
    deleted.retainAll(seen.stream().map(Member::uid).collect(Collectors.toSet()));
    return seen.stream()
        .map(member -> deleted.contains(member.uid()) ? member.leaving() : member)
        .toList();
  }

  /** What the engine is told of the job. */
  public final Observed observed(List<Member> live, Map<String, Instant> leaving) {
    return new Observed(live, told, attached, probedAt, Map.of(), refusals(), leaving);
  }

  /** The API server does not take what is written to that object. */
  public final void leaveAlone(HasMetadata object) {
    leftAlone.put(object.getMetadata().getUid(), generation(object));
  }

  /** Whether nothing is to be done about that object, as its users have written it. */
  public final boolean isLeftAlone(HasMetadata object) {
    return generation(object).equals(leftAlone.get(object.getMetadata().getUid()));
  }

  private static Long generation(HasMetadata object) {
    return Objects.requireNonNullElse(object.getMetadata().getGeneration(), 0L);
  }

  /** How long to wait after one more failure in a row. */
  public final Duration failed() {
    var pause = FIRST_PAUSE.multipliedBy(1L << Math.min(failures, MOST_FAILURES));
    failures++;
    return pause;
  }

  public final void succeeded() {
    failures = 0;
  }

  /** Nothing is to be written for the job any more. */
  public final void close() {
    isClosed = true;
  }

  public final boolean isClosed() {
    return isClosed;
  }

  /** Keeps what was written until the cache shows it. */
  public final void wrote(HasMetadata object) {
    written.put(object.getMetadata().getUid(), object);
  }

  /** The newer of what the cache shows and what was written. */
  public final <T extends HasMetadata> T newest(T cached, Class<T> type) {
    var uid = cached.getMetadata().getUid();
    var own = Optional.ofNullable(written.get(uid)).map(type::cast);
    if (own.isPresent() && version(own.get()) > version(cached)) {
      return own.get();
    }
    written.remove(uid);
    return cached;
  }

  private static long version(HasMetadata object) {
    return Long.parseLong(object.getMetadata().getResourceVersion());
  }
}
