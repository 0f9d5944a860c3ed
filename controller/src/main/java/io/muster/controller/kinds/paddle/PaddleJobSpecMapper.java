package io.muster.controller.kinds.paddle;

import io.muster.controller.core.job.Job;
import io.muster.controller.core.job.Naming;
import io.muster.controller.core.job.Recovery;
import io.muster.controller.core.job.Replacement;
import io.muster.controller.core.job.Role;
import io.muster.controller.core.job.Role.End;
import io.muster.controller.core.job.RunPolicy;
import io.muster.controller.core.job.RunPolicy.CleanUp;
import io.muster.controller.core.state.JobState;
import io.muster.controller.kinds.paddle.api.PaddleJob;
import io.muster.controller.kube.EngineJob;
import io.muster.controller.kube.Marks;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Reads a TrainingJob in the engine's words. */
final class PaddleJobSpecMapper {

  /** Trainers are kept for their logs; nobody needs the others once they are done. */
  private static final RunPolicy RUN = RunPolicy.once(CleanUp.ALL_UNFINISHED);

  private PaddleJobSpecMapper() {}

  /**
   * The job that is wanted.
   *
   * @param problems why it cannot be run
   */
  static Job job(PaddleJob object, JobState state, List<String> problems) {
    return EngineJob.of(object, () -> roles(object, state), RUN, problems);
  }

  private static List<Role> roles(PaddleJob object, JobState state) {
    var roles = new ArrayList<Role>();
    var server = Recovery.of(Replacement.LOST).keepingNames();
    if (masters(object) > 0) {
      roles.add(role(object, PaddleNames.MASTER, Role.Range.followed(1, 1), server, End.NEVER));
    }
    int pservers = pservers(object);
    if (pservers > 0) {
      var range = Role.Range.followed(pservers, pservers);
      roles.add(role(object, PaddleNames.PSERVER, range, server, End.NEVER));
    }
    var trainers = Trainers.of(object, state);
    roles.add(
        role(
            object,
            PaddleNames.TRAINER,
            Role.Range.followed(trainers.wanted() + trainers.away().size(), trainers.least())
                .without(trainers.away()),
            Recovery.of(Replacement.LOST).keepingNames().inAll(failureLimit(object)),
            Trainers.isTolerant(object.getSpec())
                ? End.ONCE_ONE_DID_WELL
                : End.WHEN_EACH_DID_WELL));
    return roles;
  }

  private static Role role(
      PaddleJob object, String name, Role.Range range, Recovery recovery, End end) {
    var prefix = PaddleNames.pods(object.getMetadata().getName(), name);
    return new Role(name, prefix, new Naming.Numbered(), range, recovery, end);
  }

  /** How many failed trainers are recreated; without fault tolerance none. */
  static int failureLimit(PaddleJob object) {
    if (!Trainers.isTolerant(object.getSpec())) {
      return 0;
    }
    var trainer = object.getSpec().trainer();
    int most = Objects.requireNonNullElse(trainer.maxInstance(), 0);
    var said = Marks.annotations(object).getOrDefault(PaddleJob.FAILURE_LIMIT, "");
    int limit = said.matches("[0-9]{1,6}") ? Integer.parseInt(said) : most;
    return Math.max(trainer.minInstance(), limit);
  }

  /** One that deals tasks out, or none. */
  static int masters(PaddleJob object) {
    return Trainers.isTolerant(object.getSpec()) ? 1 : 0;
  }

  static int pservers(PaddleJob object) {
    return Optional.ofNullable(object.getSpec().pserver())
        .map(pserver -> pserver.minInstance())
        .orElse(0);
  }

  /** With how many pods it starts. */
  static int startingPods(PaddleJob object) {
    return masters(object) + pservers(object) + object.getSpec().trainer().minInstance();
  }
}
