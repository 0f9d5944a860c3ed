package io.muster.controller.kinds.di.coordinator;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.core.job.Role;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.job.JobFrame;
import io.muster.controller.kube.Marks;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The pods that coordinators have asked for and that a job is to have by now, as the engine has
 * stored them last.
 */
public final class Workers {

  private Workers() {}

  /**
   * One of them, be it made already or not. Immutable.
   *
   * @param request for which it is
   */
  public record Worker(String name, Kind kind, int request) {}

  /** What a worker is. */
  public enum Kind {
    COLLECTOR,
    LEARNER,
    AGGREGATOR,
    /** Behind an aggregator. */
    DDP_LEARNER;

    /** Whether it is a learner to the coordinator. */
    public boolean isLearner() {
      return this == LEARNER || this == AGGREGATOR;
    }

    /** What a pod is; empty if it is no worker. */
    public static Optional<Kind> of(Pod pod) {
      return ofType(CoordinatorNames.type(pod));
    }

    private static Optional<Kind> ofType(String type) {
      return switch (type) {
        case CoordinatorNames.COLLECTOR -> Optional.of(COLLECTOR);
        case CoordinatorNames.LEARNER -> Optional.of(LEARNER);
        case CoordinatorNames.AGGREGATOR -> Optional.of(AGGREGATOR);
        case CoordinatorNames.DDP_LEARNER -> Optional.of(DDP_LEARNER);
        default -> Optional.empty();
      };
    }
  }

  /** All of them, those asked for first at the beginning. */
  public static List<Worker> of(DIJob job) {
    var state = JobFrame.state(job);
    var sizes =
        WorkerRequests.of(job).requests().stream()
            .collect(
                Collectors.toMap(
                    WorkerRequest::id, WorkerRequest::podsOfLearner, (first, _) -> first));
    var workers = new ArrayList<Worker>();
    for (var role : roles(job)) {
      var key = RoleKey.read(role.name()).orElseThrow();
      int size = sizes.get(key.request());
      for (int index : state.targets(role.name())) {
        Kind.ofType(key.type(index, size))
            .ifPresent(kind -> workers.add(new Worker(role.podName(index), kind, key.request())));
      }
    }
    return workers;
  }

  /** Whether the engine has followed all that the job says by now. */
  public static boolean areDecided(DIJob job) {
    var state = JobFrame.state(job);
    return roles(job).stream()
        .allMatch(role -> state.targets(role.name()).size() == role.range().wanted());
  }

  /** Whether two pods of one job are of the same set of an aggregator and those behind it. */
  public static boolean areOneSet(DIJob job, Pod one, Pod other) {
    return set(job, one).filter(set -> set(job, other).filter(set::equals).isPresent()).isPresent();
  }

  private static Optional<String> set(DIJob job, Pod pod) {
    var role = Marks.annotations(pod).getOrDefault(CoordinatorNames.ROLE, "");
    var index = Marks.annotations(pod).getOrDefault(CoordinatorNames.INDEX, "");
    return RoleKey.read(role)
        .filter(key -> key.kind() == RoleKey.Kind.SET && index.matches("[0-9]{1,9}"))
        .map(key -> role + "/" + Integer.parseInt(index) / podsOfSet(job, key.request()));
  }

  private static List<Role> roles(DIJob job) {
    return CoordinatorSpecMapper.job(job, List.of()).roles().stream()
        .filter(role -> !role.name().equals(RoleKey.COORDINATOR.written()))
        .toList();
  }

  private static int podsOfSet(DIJob job, int id) {
    return WorkerRequests.of(job).requests().stream()
        .filter(request -> request.id() == id)
        .findFirst()
        .map(WorkerRequest::podsOfLearner)
        .orElse(1);
  }
}
