package io.muster.simulator.edl.regime;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Stream;

/** A training job of the replay and its pods. Confined to one thread. */
public final class JobRun {

  final int number;
  public final JobShape shape;
  public final int submittedAt;

  /** Master and parameter servers. */
  final List<ReplayPod> servers = new ArrayList<>();

  /** Those on their way out included, the oldest first. */
  final List<ReplayPod> trainers = new ArrayList<>();

  /** Trainers that it is to have. */
  int size;

  public OptionalInt firstTrainerAt = OptionalInt.empty();
  public OptionalInt wholeAt = OptionalInt.empty();
  public OptionalInt endedAt = OptionalInt.empty();
  public double done;

  /** Seconds of single trainers that are lost and not made good yet. */
  public double lost;

  public JobRun(int number, JobShape shape, int submittedAt) {
    this.number = number;
    this.shape = shape;
    this.submittedAt = submittedAt;
  }

  String key() {
    return "job-%02d".formatted(number);
  }

  public Stream<ReplayPod> pods() {
    return Stream.concat(servers.stream(), trainers.stream());
  }

  /** Trainers that are not on their way out. */
  List<ReplayPod> staying() {
    return trainers.stream().filter(pod -> !pod.isLeaving()).toList();
  }

  public int trainersUp(int now) {
    int up = 0;
    for (var pod : trainers) {
      up += pod.isUp(now) ? 1 : 0;
    }
    return up;
  }

  /** Whether all servers and the fewest trainers that may start are up. */
  public boolean isWhole(int now) {
    return servers.size() == shape.servers()
        && servers.stream().allMatch(pod -> pod.isUp(now))
        && trainersUp(now) >= shape.least();
  }

  /** Whether as many as must start together have a node. */
  public boolean holdsWholeGang() {
    return servers.size() == shape.servers()
        && servers.stream().allMatch(ReplayPod::isBound)
        && trainers.stream().filter(ReplayPod::isBound).count() >= shape.least();
  }

  public boolean hasEnded() {
    return endedAt.isPresent();
  }
}
