package io.muster.controller.kinds.di.coordinator;

import io.muster.controller.core.job.Job;
import io.muster.controller.core.job.Naming;
import io.muster.controller.core.job.Recovery;
import io.muster.controller.core.job.Replacement;
import io.muster.controller.core.job.Role;
import io.muster.controller.core.job.Role.End;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.job.JobFrame;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads a DIJob with a coordinator in the engine's words: it ends with the coordinator, and has for
 * each of its requests the collectors and learners that were asked for.
 */
public final class CoordinatorSpecMapper {

  /** Names that one role may use up: lost members never share theirs with who comes after. */
  private static final int NAMES_OF_ROLE = 10_000;

  private CoordinatorSpecMapper() {}

  /** The job that is wanted. */
  static Job job(DIJob object, List<String> problems) {
    return JobFrame.of(object, problems, () -> roles(object), Optional.empty());
  }

  private static List<Role> roles(DIJob object) {
    var roles = new ArrayList<Role>();
    roles.add(
        new Role(
            RoleKey.COORDINATOR.written(),
            CoordinatorNames.coordinator(object),
            new Naming.Alone(),
            Role.Range.fixed(1),
            Recovery.of(Replacement.ON_DELETION),
            End.WITH_ITS_ONE));
    for (var request : WorkerRequests.of(object).requests()) {
      roles.add(
          workers(object, RoleKey.Kind.COLLECTOR, request.id(), request.collectors().replicas()));
      if (request.hasSets()) {
        for (int learner = 0; learner < request.mostLearners(); learner++) {
          roles.add(set(object, request, learner));
        }
      } else {
        roles.add(
            workers(object, RoleKey.Kind.LEARNER, request.id(), request.learners().replicas()));
      }
    }
    return roles;
  }

  private static Role workers(DIJob object, RoleKey.Kind kind, int request, int count) {
    var key = new RoleKey(kind, request, 0);
    return role(
        key,
        object.getMetadata().getName() + "-" + key.type(0, 1),
        new Naming.Lettered(seed(object), request * NAMES_OF_ROLE),
        count,
        Recovery.of(Replacement.LOST).paced());
  }

  private static Role set(DIJob object, WorkerRequest request, int learner) {
    var key = new RoleKey(RoleKey.Kind.SET, request.id(), learner);
    var name = object.getMetadata().getName();
    return role(
        key,
        name + "-" + CoordinatorNames.DDP_LEARNER,
        new Naming.Sets(
            request.podsOfLearner(),
            name + "-" + CoordinatorNames.AGGREGATOR,
            new Naming.Lettered(
                seed(object), (request.id() * WorkerRequest.MOST_SETS + learner) * NAMES_OF_ROLE),
            request.isFirstSet() && learner == 0),
        learner < request.learners().replicas() ? request.podsOfLearner() : 0,
        Recovery.of(Replacement.LOST).paced().together());
  }

  private static Role role(
      RoleKey key, String prefix, Naming naming, int count, Recovery recovery) {
    var range = Role.Range.followed(count, count);
    return new Role(key.written(), prefix, naming, range, recovery, End.NEVER);
  }

  private static long seed(DIJob object) {
    return object.getMetadata().getUid().hashCode();
  }
}
