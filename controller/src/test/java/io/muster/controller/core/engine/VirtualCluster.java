package io.muster.controller.core.engine;

import io.muster.controller.core.job.Job;
import io.muster.controller.core.job.ResizeRequest;
import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.Member;
import io.muster.controller.core.state.Member.Phase;
import io.muster.controller.core.state.Observed;
import io.muster.controller.core.state.Resize;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A job on a cluster in virtual time, which goes on between any two actions of the controller. The
 * controller that drives it can be killed between any two writes.
 */
abstract class VirtualCluster {

  private static final Duration STEP = Duration.ofMillis(500);

  /** The controller dies here. */
  static final class Killed extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /** A pod, and the rank and losses that it was made with. */
  static final class VirtualPod {
    final Action.Create made;
    final String uid;
    Phase phase = Phase.PENDING;
    boolean deleting;

    /** How it is seen to end between its deletion and its going. */
    Optional<Integer> diesWith = Optional.empty();

    /** It never goes. */
    boolean isStuck;

    boolean isBlameless;
    Optional<Integer> exitCode = Optional.empty();

    VirtualPod(Action.Create made, String uid) {
      this.made = made;
      this.uid = uid;
    }

    private Member seen() {
      return new Member(
          made.name(),
          uid,
          made.role(),
          made.index(),
          phase,
          deleting,
          phase == Phase.PENDING ? Optional.empty() : Optional.of("n1"),
          made.resize(),
          Optional.empty(),
          exitCode,
          isBlameless);
    }
  }

  Instant now = Instant.EPOCH;
  long generation = 1;
  JobState state = JobState.NEW;
  final Map<String, Resize> resizes = new LinkedHashMap<>();
  final Map<String, VirtualPod> pods = new LinkedHashMap<>();
  final List<News> news = new ArrayList<>();
  Optional<Observed.Refusal> refusal = Optional.empty();

  /** Writes until the controller is killed; none if negative. */
  int killAfter = -1;

  private Optional<List<String>> told = Optional.empty();
  private Map<String, Boolean> attached = Map.of();
  private Optional<Instant> probedAt = Optional.empty();
  private int uids;

  /** Pods that may begin to run in a step. */
  int room() {
    return Integer.MAX_VALUE;
  }

  /** What is wanted now. */
  abstract Job job();

  void ask(String id, Change change) {
    var request =
        new ResizeRequest(
            id,
            "worker",
            change,
            now,
            false,
            Duration.ofMinutes(1),
            Optional.empty(),
            Optional.empty());
    resizes.put(
        id, new Resize(request, Resize.Stage.NEW, List.of(), Optional.empty(), Optional.empty()));
  }

  void end(String name, int exitCode) {
    var pod = pods.get(name);
    pod.phase = exitCode == 0 ? Phase.SUCCEEDED : Phase.FAILED;
    pod.exitCode = Optional.of(exitCode);
  }

  /** It is deleted, and ends so before it is gone. */
  void delete(String name, int exitCode) {
    pods.get(name).deleting = true;
    pods.get(name).diesWith = Optional.of(exitCode);
  }

  void run(int seconds) {
    var until = now.plusSeconds(seconds);
    while (now.isBefore(until)) {
      goOn();
      try {
        look();
      } catch (Killed _) {
        killAfter = -1;
        told = Optional.empty();
        attached = Map.of();
        probedAt = Optional.empty();
      }
      now = now.plus(STEP);
    }
  }

  private void goOn() {
    pods.values().removeIf(pod -> pod.deleting && pod.diesWith.isEmpty() && !pod.isStuck);
    for (var pod : pods.values()) {
      if (pod.deleting && pod.diesWith.isPresent()) {
        end(pod.made.name(), pod.diesWith.get());
        pod.diesWith = Optional.empty();
      }
    }
    pods.values().stream()
        .filter(pod -> pod.phase == Phase.PENDING)
        .limit(room())
        .forEach(pod -> pod.phase = Phase.RUNNING);
  }

  private void look() {
    var seen =
        new Observed(
            pods.values().stream().map(VirtualPod::seen).toList(),
            told,
            attached,
            probedAt,
            Map.of(),
            refusal.stream().toList(),
            Map.of());
    var outcome = JobEngine.reconcile(job(), state, List.copyOf(resizes.values()), seen, now);
    news.addAll(outcome.news());
    if (!outcome.state().equals(state)) {
      write(() -> state = outcome.state());
    }
    outcome.resizes().forEach(resize -> write(() -> resizes.put(resize.request().id(), resize)));
    for (var action : outcome.actions()) {
      goOn();
      write(() -> act(action));
    }
  }

  private void write(Runnable write) {
    if (killAfter == 0) {
      throw new Killed();
    }
    killAfter--;
    write.run();
    if (killAfter == 0) {
      throw new Killed();
    }
  }

  private void act(Action action) {
    switch (action) {
      case Action.Create create -> {
        uids++;
        pods.putIfAbsent(create.name(), new VirtualPod(create, "uid" + uids));
      }
      case Action.Delete(String name, String uid) -> {
        if (pods.containsKey(name) && pods.get(name).uid.equals(uid)) {
          pods.get(name).deleting = true;
        }
      }
      case Action.Tell(List<String> members) -> told = Optional.of(members);
      case Action.Probe(List<String> members) -> {
        var free = new LinkedHashMap<String, Boolean>();
        members.forEach(member -> free.put(member, false));
        attached = free;
        probedAt = Optional.of(now);
      }
      case Action.Ask(String key, String _, Change change, boolean _, var _) -> {
        if (!resizes.containsKey("ml/" + key)) {
          ask("ml/" + key, change);
        }
      }
      case Action.Prepare _, Action.Script _, Action.Withdraw _, Action.Remove _ -> {}
    }
  }
}
