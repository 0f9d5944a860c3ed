package io.muster.controller.core.engine;

import io.muster.controller.core.engine.Member.Phase;
import io.muster.controller.core.job.Job;
import io.muster.controller.core.job.JobKey;
import io.muster.controller.core.job.Recovery;
import io.muster.controller.core.job.Replacement;
import io.muster.controller.core.job.ResizeRequest;
import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.core.job.Role;
import io.muster.controller.core.job.Role.End;
import io.muster.controller.core.job.Role.Pause;
import io.muster.controller.core.job.RunPolicy;
import io.muster.controller.core.job.RunPolicy.CleanUp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * A job of a master and workers with ranks, on a cluster in virtual time that starts every pod at
 * once. The controller that drives it can be killed between any two writes.
 */
final class RankedCluster {

  private static final Duration STEP = Duration.ofMillis(500);

  /** The controller dies here. */
  static final class Killed extends RuntimeException {
    private static final long serialVersionUID = 1;
  }

  /** A pod, and the rank and losses that it was made with. */
  static final class RankedPod {
    final Action.Create made;
    final String uid;
    Phase phase = Phase.PENDING;
    boolean deleting;
    Optional<Integer> exitCode = Optional.empty();

    RankedPod(Action.Create made, String uid) {
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
          Optional.of("n1"),
          made.resize(),
          Optional.empty(),
          exitCode,
          Instant.EPOCH);
    }
  }

  Instant now = Instant.EPOCH;
  int replicas = 4;
  int least = 1;
  int relaunches = 3;
  int masterRestarts;
  Pause pause = Pause.NONE;
  long generation = 1;
  JobState state = JobState.NEW;
  final Map<String, Resize> resizes = new LinkedHashMap<>();
  final Map<String, RankedPod> pods = new LinkedHashMap<>();
  final List<News> news = new ArrayList<>();

  /** Writes until the controller is killed; none if negative. */
  int killAfter = -1;

  private Optional<List<String>> told = Optional.empty();
  private Map<String, Boolean> attached = Map.of();
  private Optional<Instant> probedAt = Optional.empty();
  private int uids;

  private Job job() {
    return new Job(
        new JobKey("ml", "j", "u"),
        Instant.EPOCH,
        generation,
        List.of(
            new Role(
                "master",
                "j-master",
                true,
                Role.Range.fixed(1),
                Set.of(),
                Recovery.of(Replacement.UNLESS_FATAL).ofOne(masterRestarts),
                true),
            new Role(
                "worker",
                "j-worker",
                true,
                new Role.Range(replicas, Math.min(least, replicas), Integer.MAX_VALUE),
                Set.of(),
                Recovery.of(Replacement.UNLESS_OUT_OF_MEMORY).ofOne(relaunches).keepingRanks(),
                End.WITH_ALL,
                pause)),
        new RunPolicy(
            false,
            false,
            0,
            CleanUp.ALL_UNFINISHED,
            Optional.empty(),
            Optional.empty(),
            Optional.empty()),
        List.of());
  }

  void ask(String id, Change change) {
    resizes.put(
        id,
        Resize.of(
            new ResizeRequest(
                id,
                "worker",
                change,
                now,
                false,
                Duration.ofMinutes(1),
                Optional.empty(),
                Optional.empty())));
  }

  void end(String name, int exitCode) {
    var pod = pods.get(name);
    pod.phase = exitCode == 0 ? Phase.SUCCEEDED : Phase.FAILED;
    pod.exitCode = Optional.of(exitCode);
  }

  /** Rank and losses of the workers that run, by name. */
  Map<String, String> running() {
    var running = new TreeMap<String, String>();
    for (var pod : pods.values()) {
      if (pod.made.role().equals("worker") && pod.phase == Phase.RUNNING && !pod.deleting) {
        running.put(pod.made.name(), pod.made.rank() + "/" + pod.made.losses());
      }
    }
    return running;
  }

  void run(int seconds) {
    var until = now.plusSeconds(seconds);
    while (now.isBefore(until)) {
      pods.values().removeIf(pod -> pod.deleting);
      pods.values().stream()
          .filter(pod -> pod.phase == Phase.PENDING)
          .forEach(pod -> pod.phase = Phase.RUNNING);
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

  private void look() {
    var seen =
        new Observed(
            pods.values().stream().map(RankedPod::seen).toList(),
            told,
            attached,
            probedAt,
            Map.of(),
            Optional.empty(),
            Map.of());
    var outcome = JobEngine.reconcile(job(), state, List.copyOf(resizes.values()), seen, now);
    news.addAll(outcome.news());
    if (!outcome.state().equals(state) || !outcome.resizes().isEmpty()) {
      write(() -> {
        state = outcome.state();
        outcome.resizes().forEach(resize -> resizes.put(resize.request().id(), resize));
      });
    }
    outcome.actions().forEach(action -> write(() -> act(action)));
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
        pods.putIfAbsent(create.name(), new RankedPod(create, "uid" + uids));
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
