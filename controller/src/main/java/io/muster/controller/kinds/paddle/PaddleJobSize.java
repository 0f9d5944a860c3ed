package io.muster.controller.kinds.paddle;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.api.ResizeCost;
import io.muster.controller.core.elastic.Decision;
import io.muster.controller.core.elastic.ResizableJob;
import io.muster.controller.core.elastic.ResizableJob.Sharing;
import io.muster.controller.core.elastic.ResizableJob.Step;
import io.muster.controller.core.elastic.ResizableJob.Stride;
import io.muster.controller.core.elastic.ResizableJob.Terms;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.Member;
import io.muster.controller.kinds.paddle.api.PaddleJob;
import io.muster.controller.kube.Marks;
import io.muster.controller.kube.pod.WorkerPods;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * How many trainers a running job has, and how many it may have. Immutable.
 *
 * @param pods of trainers, by number
 * @param servers uids of its other pods
 */
record PaddleJobSize(
    PaddleJob job,
    JobState state,
    Trainers trainers,
    Map<Integer, Pod> pods,
    List<String> servers) {

  /** Between two steps; a trainer that was asked for has come by then as a rule. */
  private static final Duration INTERVAL = Duration.ofSeconds(10);

  /** Who has found no room for so long is not waited for. */
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Quotas are seldom changed. */
  private static final Duration AFTER_REFUSAL = Duration.ofMinutes(10);

  static PaddleJobSize of(PaddleJob job, List<Pod> pods) {
    var state = PaddleJobStatusMapper.state(job);
    var uid = job.getMetadata().getUid();
    var trainers = new HashMap<Integer, Pod>();
    var servers = new ArrayList<String>();
    for (var pod : pods) {
      PaddleJobMembers.of(pod, uid)
          .ifPresent(member -> {
            if (member.role().equals(PaddleNames.TRAINER)) {
              trainers.put(member.index(), pod);
            } else if (member.isUp()) {
              servers.add(pod.getMetadata().getUid());
            }
          });
    }
    return new PaddleJobSize(job, state, Trainers.of(job, state), trainers, List.copyOf(servers));
  }

  /** Whether its number of trainers is Muster's to decide, and its work is not done. */
  private boolean isFree() {
    boolean isFinishing = state.ended(PaddleNames.TRAINER).containsValue(true);
    return trainers.isElastic() && !trainers.isExact() && !isFinishing;
  }

  /** As those see it who share the room out; empty if it is not theirs to decide. */
  Optional<ResizableJob> elastic(Instant now) {
    if (!isFree()) {
      return Optional.empty();
    }
    var up = up();
    int most = isHeldBack(now) ? trainers.wanted() : trainers.most();
    long there = trainers.numbers().stream().filter(pods::containsKey).count();
    return Optional.of(
        new ResizableJob(
            "paddle/" + job.getMetadata().getNamespace() + "/" + job.getMetadata().getName(),
            WorkerPods.priority(up),
            WorkerPods.of(up),
            trainers.least(),
            most,
            new Stride(1, Math.max(1, most - trainers.least())),
            INTERVAL,
            last(),
            true,
            up.size() == trainers.wanted(),
            trainers.wanted() - (int) there,
            new Terms(Sharing.WITH_EQUALS, ResizeCost.of(Marks.annotations(job)), servers)));
  }

  /** Whether more were refused so lately that they would be again, and hold room meanwhile. */
  private boolean isHeldBack(Instant now) {
    return TrainerDecision.of(job)
        .filter(TrainerDecision::isRefused)
        .flatMap(TrainerDecision::instant)
        .filter(at -> now.isBefore(at.plus(AFTER_REFUSAL)))
        .isPresent();
  }

  private Optional<Step> last() {
    return TrainerDecision.of(job)
        .flatMap(decided -> decided.instant().map(at -> new Step(at, decided.hasFailed())));
  }

  /** Those made first at the beginning; of those made together the lowest number. */
  private List<Pod> up() {
    var uid = job.getMetadata().getUid();
    return trainers.numbers().stream()
        .filter(pods::containsKey)
        .map(pods::get)
        .filter(pod -> PaddleJobMembers.of(pod, uid).filter(Member::isUp).isPresent())
        .sorted(Comparator.comparing((Pod pod) -> pod.getMetadata().getCreationTimestamp()))
        .toList();
  }

  /** Uids of trainers that are on their way out. */
  List<String> leaving() {
    var staying = Set.copyOf(trainers.numbers());
    return pods.entrySet().stream()
        .filter(pod -> pod.getValue().isMarkedForDeletion() || !staying.contains(pod.getKey()))
        .map(pod -> pod.getValue().getMetadata().getUid())
        .toList();
  }

  /** What is to be kept of it. */
  TrainerDecision after(Decision decision, Instant now) {
    return switch (decision) {
      case Decision.Grow grow ->
          TrainerDecision.now(
              Math.min(trainers.most(), trainers.wanted() + grow.count()),
              trainers.awayAfterGrowth(grow.count()),
              now,
              false,
              "there is room for more");
      case Decision.GiveBack giveBack ->
          without(numbers(giveBack.workers()), now, false, giveBack.why());
    };
  }

  private Set<Integer> numbers(List<String> names) {
    return pods.entrySet().stream()
        .filter(pod -> names.contains(pod.getValue().getMetadata().getName()))
        .map(Map.Entry::getKey)
        .collect(Collectors.toSet());
  }

  private TrainerDecision without(
      Set<Integer> numbers, Instant now, boolean hasFailed, String why) {
    return TrainerDecision.now(
        Math.max(trainers.least(), trainers.wanted() - numbers.size()),
        trainers.awayWithout(numbers),
        now,
        hasFailed,
        why);
  }

  /**
   * What its user has made of what was decided before, by {@code parallelism} or {@code
   * max-instance}: once he takes that back, it is decided from there on. Empty if that is so.
   */
  Optional<TrainerDecision> asItsUserHasIt(Instant now) {
    var decided = TrainerDecision.of(job);
    boolean isKept =
        decided.isPresent()
            ? decided.get().count() == trainers.wanted()
            : !trainers.isExact() || Marks.annotations(job).containsKey(TrainerDecision.KEY);
    return isKept || !trainers.isElastic()
        ? Optional.empty()
        : Optional.of(
            TrainerDecision.now(
                trainers.wanted(),
                List.copyOf(trainers.away()),
                now,
                false,
                PaddleJobMessages.whyResized(job, state)));
  }

  /**
   * The job without trainers that have found no room for long, or could not be created, as a quota
   * lets no more be; empty if there are none.
   */
  Optional<TrainerDecision> withoutThoseThatWait(Instant now) {
    if (!isFree()) {
      return Optional.empty();
    }
    var numbers = trainers.numbers();
    var unplaced =
        numbers.stream()
            .filter(number -> pods.containsKey(number) && hasWaited(pods.get(number), now))
            .toList();
    if (!unplaced.isEmpty()) {
      return withoutThese(unplaced, "no room for %d of them within %d s", now);
    }
    var uncreated = state.unseen().getOrDefault(PaddleNames.TRAINER, List.of());
    return isGrowthOver(now)
        ? withoutThese(
                numbers.stream()
                    .filter(number -> uncreated.contains(number) && !pods.containsKey(number))
                    .toList(),
                "%d of them could not be created within %d s",
                now)
            .map(TrainerDecision::refused)
        : Optional.empty();
  }

  private Optional<TrainerDecision> withoutThese(List<Integer> numbers, String why, Instant now) {
    var dropped =
        numbers.reversed().stream()
            .limit(trainers.wanted() - trainers.least())
            .collect(Collectors.toSet());
    return dropped.isEmpty()
        ? Optional.empty()
        : Optional.of(
            without(dropped, now, true, why.formatted(dropped.size(), PATIENCE.toSeconds())));
  }

  /** Whether trainers should have come by now that were asked for last, and some have not. */
  private boolean isGrowthOver(Instant now) {
    return PaddleJobStatusMapper.isScaling(job)
        && TrainerDecision.of(job)
            .flatMap(TrainerDecision::instant)
            .filter(at -> !now.isBefore(at.plus(PATIENCE)))
            .isPresent();
  }

  private static boolean hasWaited(Pod pod, Instant now) {
    return pod.getSpec().getNodeName() == null
        && !pod.isMarkedForDeletion()
        && !now.isBefore(Instant.parse(pod.getMetadata().getCreationTimestamp()).plus(PATIENCE));
  }
}
