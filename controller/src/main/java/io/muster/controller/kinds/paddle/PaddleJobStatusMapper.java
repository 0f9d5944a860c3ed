package io.muster.controller.kinds.paddle;

import io.muster.controller.core.engine.News;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.core.state.Member;
import io.muster.controller.kinds.paddle.api.PaddleJob;
import io.muster.controller.kinds.paddle.api.PaddleJobStatus;
import io.muster.controller.kinds.paddle.api.ReplicaStates;
import io.muster.controller.kinds.paddle.api.ScaleRecords;
import io.muster.controller.kinds.paddle.api.ScaleRecords.ScaleRecord;
import io.muster.controller.kube.Conditions;
import io.muster.controller.kube.DecidedJob;
import io.muster.controller.kube.StoredStates;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Reads where a job stands from the status of a TrainingJob, and writes it there. */
final class PaddleJobStatusMapper {

  private static final int MOST_RECORDS = 10;
  private static final String UNKNOWN = "Unknown";

  private PaddleJobStatusMapper() {}

  /** Trainers that run and are to stay. */
  static int running(DecidedJob<PaddleJob> decided) {
    var wanted = trainers(decided);
    return (int)
        decided
            .members(PaddleNames.TRAINER)
            .filter(trainer -> trainer.isUp() && wanted.contains(trainer.index()))
            .count();
  }

  /** Numbers of the trainers that it is to have. */
  static List<Integer> trainers(DecidedJob<PaddleJob> decided) {
    return decided.state().targets(PaddleNames.TRAINER);
  }

  /** Of the master and the parameter servers, roles of which some do not run, and how many do. */
  static Map<String, Integer> lackingServers(DecidedJob<PaddleJob> decided) {
    var lacking = new TreeMap<String, Integer>();
    for (var role : List.of(PaddleNames.MASTER, PaddleNames.PSERVER)) {
      int up = (int) decided.members(role).filter(Member::isUp).count();
      if (up < decided.state().targets(role).size()) {
        lacking.put(role, up);
      }
    }
    return lacking;
  }

  /** Trainers that have ended for good. */
  static int ended(DecidedJob<PaddleJob> decided) {
    return decided.state().ended(PaddleNames.TRAINER).size();
  }

  /** Whether each trainer that it is to have runs or has ended, and nobody else is there. */
  static boolean isSettled(DecidedJob<PaddleJob> decided) {
    var wanted = trainers(decided);
    return running(decided) + ended(decided) == wanted.size()
        && decided
            .members(PaddleNames.TRAINER)
            .allMatch(trainer -> trainer.hasEnded() || wanted.contains(trainer.index()));
  }

  /** Where the job stands. */
  static JobState state(PaddleJob job) {
    return Optional.ofNullable(job.getStatus())
        .map(status ->
            StoredStates.read(status.state(), status.startTime(), status.completionTime()))
        .orElse(JobState.NEW);
  }

  /** The status to be stored. */
  static PaddleJobStatus status(DecidedJob<PaddleJob> decided) {
    var state = decided.state();
    var records = records(decided);
    var phase = phase(decided, records);
    return new PaddleJobStatus(
        phase,
        Conditions.shortened(PaddleJobMessages.reason(decided, phase, records)),
        records.isEmpty() ? null : new ScaleRecords(records),
        replicas(decided),
        trainers(decided).size(),
        running(decided),
        (int) decided.members(PaddleNames.TRAINER).filter(trainer -> !trainer.hasEnded()).count(),
        PaddleNames.ROLE_LABELS.get(PaddleNames.TRAINER)
            + "="
            + decided.job().getMetadata().getName(),
        state.startedAt().map(Conditions::time).orElse(null),
        state.endedAt().map(Conditions::time).orElse(null),
        StoredStates.write(state),
        decided.job().getMetadata().getGeneration());
  }

  private static String phase(DecidedJob<PaddleJob> decided, List<ScaleRecord> records) {
    var before = areUnplacedServers(decided) || !isPlaced(decided) ? "pending" : "creating";
    return switch (decided.state().phase()) {
      case SUCCEEDED -> "succeeded";
      case FAILED -> "failed";
      // Ended as a whole for another gang, or without its servers, it trains no more.
      case RUNNING, SCALING ->
          !isPlaced(decided) || !lackingServers(decided).isEmpty()
              ? before
              : isScaling(records) ? "scaling" : "running";
      case NEW, STARTING, RESTARTING, SUSPENDED -> isPlaced(decided) ? "creating" : "pending";
    };
  }

  private static boolean isPlaced(DecidedJob<PaddleJob> decided) {
    return decided.members().stream()
        .anyMatch(member -> !member.hasEnded() && member.node().isPresent());
  }

  /** Whether the master or a parameter server that does not run has no node to run on. */
  private static boolean areUnplacedServers(DecidedJob<PaddleJob> decided) {
    return lackingServers(decided).keySet().stream()
        .anyMatch(role ->
            decided.members(role).filter(member -> member.node().isPresent()).count()
                < decided.state().targets(role).size());
  }

  /** Whether its number of trainers was changed, and has not come about as far as was seen. */
  static boolean isScaling(PaddleJob job) {
    return isScaling(stored(job));
  }

  private static boolean isScaling(List<ScaleRecord> records) {
    return !records.isEmpty() && UNKNOWN.equals(records.getLast().status());
  }

  private static List<ScaleRecord> records(DecidedJob<PaddleJob> decided) {
    var records = new ArrayList<>(stored(decided.job()));
    for (var item : decided.news()) {
      if (item instanceof News.Followed(String role, int from, int to)
          && role.equals(PaddleNames.TRAINER)) {
        close(records, "False");
        records.add(
            new ScaleRecord(
                Conditions.time(decided.now()),
                to - from,
                UNKNOWN,
                PaddleJobMessages.whyResized(decided.job(), decided.state())));
      }
    }
    if (decided.state().phase() == Phase.RUNNING && isSettled(decided)) {
      close(records, "True");
    }
    return List.copyOf(records.subList(Math.max(0, records.size() - MOST_RECORDS), records.size()));
  }

  private static List<ScaleRecord> stored(PaddleJob job) {
    return Optional.ofNullable(job.getStatus())
        .map(status -> status.scaleRecords())
        .map(known -> known.records())
        .orElse(List.of());
  }

  private static void close(List<ScaleRecord> records, String status) {
    if (!records.isEmpty() && UNKNOWN.equals(records.getLast().status())) {
      var last = records.removeLast();
      records.add(new ScaleRecord(last.scaleTimestamp(), last.additional(), status, last.reason()));
    }
  }

  private static List<ReplicaStates> replicas(DecidedJob<PaddleJob> decided) {
    var statuses = new ArrayList<ReplicaStates>();
    for (var role : List.of(PaddleNames.MASTER, PaddleNames.PSERVER, PaddleNames.TRAINER)) {
      int wanted = decided.state().targets(role).size();
      var states = new TreeMap<String, Integer>();
      decided.members(role).forEach(member -> states.merge(word(member), 1, Integer::sum));
      if (wanted > 0 || !states.isEmpty()) {
        statuses.add(new ReplicaStates(role, together(states, wanted), states));
      }
    }
    return statuses;
  }

  private static String word(Member member) {
    return switch (member.phase()) {
      case PENDING -> "starting";
      case RUNNING -> "running";
      case SUCCEEDED -> "succeeded";
      case FAILED -> "failed";
    };
  }

  private static String together(Map<String, Integer> states, int wanted) {
    int running = states.getOrDefault("running", 0);
    int succeeded = states.getOrDefault("succeeded", 0);
    if (states.containsKey("failed")) {
      return "failed";
    } else if (running + succeeded < wanted || states.containsKey("starting")) {
      return "starting";
    }
    return running > 0 ? "running" : "succeeded";
  }
}
