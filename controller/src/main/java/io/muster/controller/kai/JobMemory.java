package io.muster.controller.kai;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.muster.controller.core.engine.Member;
import io.muster.controller.core.engine.Observed.Refusal;
import io.muster.controller.core.engine.Observed.ScriptEnd;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What is known of a job besides what is stored: what its launcher was told, and what was found
 * there. Lost with the process, and found out again. Confined to one reconcile at a time.
 */
final class JobMemory {

  private static final Duration FIRST_PAUSE = Duration.ofSeconds(2);
  private static final int MOST_DOUBLINGS = 7;

  /** Half a minute. */
  private static final int MOST_FAILURES = 4;

  private Optional<Told> told = Optional.empty();
  private List<String> prepared = List.of();
  private Map<String, Boolean> attached = Map.of();
  private Optional<Instant> probedAt = Optional.empty();
  private final Map<String, ScriptEnd> scripts = new HashMap<>();
  private Optional<Refusal> refusal = Optional.empty();
  private int refusals;
  private final Set<Object> remarked = new HashSet<>();
  private final Map<String, HasMetadata> written = new HashMap<>();
  private final Set<String> deleted = new HashSet<>();
  private Optional<Map<String, String>> configured = Optional.empty();
  private int failures;
  private boolean isClosed;

  private record Told(String launcher, List<String> members) {}

  /** What the next launcher will find. */
  void prepared(List<String> members) {
    prepared = List.copyOf(members);
  }

  void toldAtBirth(String launcherUid) {
    told(launcherUid, prepared);
  }

  void told(String launcherUid, List<String> members) {
    told = Optional.of(new Told(launcherUid, List.copyOf(members)));
  }

  Optional<List<String>> told(Optional<String> launcherUid) {
    return told.filter(known -> launcherUid.filter(known.launcher()::equals).isPresent())
        .map(Told::members);
  }

  void forgetTold() {
    told = Optional.empty();
  }

  void probed(Map<String, Boolean> found, Instant now) {
    attached = Map.copyOf(found);
    probedAt = Optional.of(now);
  }

  Map<String, Boolean> attached() {
    return attached;
  }

  Optional<Instant> probedAt() {
    return probedAt;
  }

  void scriptEnded(String resize, Optional<String> fault) {
    int tries = Optional.ofNullable(scripts.get(resize)).map(ScriptEnd::tries).orElse(0) + 1;
    scripts.put(resize, new ScriptEnd(tries, fault));
  }

  Map<String, ScriptEnd> scripts() {
    return scripts;
  }

  void refused(String pod, String message, Instant now) {
    var pause = FIRST_PAUSE.multipliedBy(1L << Math.min(refusals, MOST_DOUBLINGS));
    refusals++;
    refusal = Optional.of(new Refusal(pod, message, now.plus(pause)));
  }

  void allowed(String pod) {
    if (refusal.filter(last -> last.pod().equals(pod)).isPresent()) {
      refusal = Optional.empty();
      refusals = 0;
    }
  }

  Optional<Refusal> refusal() {
    return refusal;
  }

  /** Whether that is new to users. */
  boolean isNew(Object remark) {
    return remarked.add(remark);
  }

  /** What the ConfigMap says; empty: not known. */
  Optional<Map<String, String>> configured() {
    return configured;
  }

  void configured(Map<String, String> content) {
    configured = Optional.of(Map.copyOf(content));
  }

  /** That pod goes, though the cache may not show it yet. */
  void deleted(String podUid) {
    deleted.add(podUid);
  }

  /** The members as they are, after what was done to them. */
  List<Member> afterDeletions(List<Member> seen) {
    deleted.retainAll(seen.stream().map(Member::uid).collect(Collectors.toSet()));
    return seen.stream()
        .map(member -> deleted.contains(member.uid()) ? member.leaving() : member)
        .toList();
  }

  /** How long to wait after one more failure in a row. */
  Duration failed() {
    var pause = FIRST_PAUSE.multipliedBy(1L << Math.min(failures, MOST_FAILURES));
    failures++;
    return pause;
  }

  void succeeded() {
    failures = 0;
  }

  /** Nothing is to be written for the job any more. */
  void close() {
    isClosed = true;
  }

  boolean isClosed() {
    return isClosed;
  }

  /** Keeps what was written until the cache shows it. */
  void wrote(HasMetadata object) {
    written.put(object.getMetadata().getUid(), object);
  }

  /** The newer of what the cache shows and what was written. */
  <T extends HasMetadata> T newest(T cached, Class<T> type) {
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
