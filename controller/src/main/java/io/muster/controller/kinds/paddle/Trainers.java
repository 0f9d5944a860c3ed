package io.muster.controller.kinds.paddle;

import io.muster.controller.core.job.Job;
import io.muster.controller.core.state.JobState;
import io.muster.controller.kinds.paddle.api.PaddleJob;
import io.muster.controller.kinds.paddle.api.PaddleJobSpec;
import io.muster.controller.kube.Marks;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * How many trainers a job may have and is to have now. Immutable.
 *
 * @param least that it keeps
 * @param most that there may be; those of a rigid job are the least
 * @param wanted now, from least to most
 * @param away numbers that none of them has
 * @param isExact whether its user has said how many, and nobody else may
 */
record Trainers(int least, int most, int wanted, Set<Integer> away, boolean isExact) {

  Trainers {
    away = Set.copyOf(away);
  }

  /** Those of a job; what its user says goes before what Muster has decided. */
  static Trainers of(PaddleJob job, JobState state) {
    var trainer = job.getSpec().trainer();
    int least = trainer.minInstance();
    int most =
        isTolerant(job.getSpec())
            ? Math.max(
                least,
                Math.min(Objects.requireNonNullElse(trainer.maxInstance(), 0), Job.MOST_MEMBERS))
            : least;
    var decided = TrainerDecision.of(job);
    boolean isExact = trainer.parallelism() != null;
    int wanted;
    if (isExact) {
      wanted = trainer.parallelism();
    } else if (decided.isPresent()) {
      wanted = decided.get().count();
    } else {
      wanted = unreadable(job, state, least);
    }
    int size = Math.clamp(wanted, least, most);
    return new Trainers(
        least,
        most,
        size,
        places(decided.map(TrainerDecision::away).orElse(List.of()), size),
        isExact);
  }

  /** Where the annotation says nothing that can be read, it stays at what it was. */
  private static int unreadable(PaddleJob job, JobState state, int least) {
    boolean isThere = Marks.annotations(job).containsKey(TrainerDecision.KEY);
    var known = state.targets(PaddleNames.TRAINER);
    return isThere && !known.isEmpty() ? known.size() : least;
  }

  /** Those that stand between the numbers of so many. */
  private static Set<Integer> places(List<Integer> away, int size) {
    var between = new TreeSet<Integer>();
    for (int number : away) {
      if (number >= 0 && number < size + between.size()) {
        between.add(number);
      }
    }
    return between;
  }

  static boolean isTolerant(PaddleJobSpec spec) {
    return Boolean.TRUE.equals(spec.faultTolerant());
  }

  /** Whether their number may change. */
  boolean isElastic() {
    return least < most;
  }

  /** Numbers of all of them. */
  List<Integer> numbers() {
    var numbers = new ArrayList<Integer>();
    for (int number = 0; numbers.size() < wanted; number++) {
      if (!away.contains(number)) {
        numbers.add(number);
      }
    }
    return numbers;
  }

  /** Numbers that none has once there are so many more; the lowest are given out first. */
  List<Integer> awayAfterGrowth(int count) {
    return away.stream().sorted().skip(count).toList();
  }

  /** The same once these have gone too. */
  List<Integer> awayWithout(Set<Integer> numbers) {
    return Stream.concat(away.stream(), numbers.stream()).sorted().distinct().toList();
  }
}
