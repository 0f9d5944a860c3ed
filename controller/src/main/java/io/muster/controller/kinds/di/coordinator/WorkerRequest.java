package io.muster.controller.kinds.di.coordinator;

import io.fabric8.kubernetes.api.model.Quantity;
import io.muster.controller.api.WireType;
import io.muster.controller.core.job.Job;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * What a coordinator has asked for at once: its collectors and learners start together. A wire
 * type, stored on the job; absent fields are null. Immutable.
 *
 * @param id names it among all of the job; never given out again
 * @param coordinator uid of the pod that asked
 * @param body by which a repeated request is known again
 * @param mostLearners how many learners it has ever had: those beyond the present number are gone
 * @param split GPUs of each pod of a learner that has an aggregator; empty: learners are one pod
 *     each
 * @param isFirstSet whether the first aggregator is the first that the job ever had
 * @param askedAt when it came; RFC 3339
 * @param readyAt when all its pods were ready at the first time; null before that
 */
@WireType
public record WorkerRequest(
    int id,
    String coordinator,
    String body,
    Part collectors,
    Part learners,
    int mostLearners,
    List<Integer> split,
    boolean isFirstSet,
    String askedAt,
    String readyAt) {

  /** The resource that callers mean by GPUs. */
  public static final String GPU = "nvidia.com/gpu";

  /** Pods of one kind in one request at most. */
  public static final int MOST = Job.MOST_MEMBERS;

  /** GPUs of one learner at most. */
  public static final int MOST_GPUS = 10_000;

  /** Learners of one request at most, where each is a set of pods. */
  public static final int MOST_SETS = 100;

  /**
   * Pods of one kind.
   *
   * @param replicas how many there are to be by now
   * @param resources that each asks for, and is limited to, beside what its template says
   */
  @WireType
  public record Part(int replicas, Map<String, String> resources) {

    /** Nothing is asked for. */
    public static final Part NONE = new Part(0, Map.of());

    public Part {
      resources = Map.copyOf(Objects.requireNonNullElse(resources, Map.of()));
    }

    private Optional<String> fault() {
      if (replicas < 0 || replicas > MOST) {
        return Optional.of("replicas that are not from 0 to " + MOST);
      }
      return resources.entrySet().stream()
          .filter(resource -> !isAmount(resource.getValue()))
          .map(resource -> "an amount of %s that is none".formatted(resource.getKey()))
          .findFirst();
    }

    private static boolean isAmount(String text) {
      try {
        return new Quantity(text).getNumericalAmount().signum() >= 0;
      } catch (IllegalArgumentException _) {
        return false;
      }
    }

    /** What is asked for: of no pods nothing, whatever each would have had. */
    public Part asked() {
      return replicas == 0 ? NONE : this;
    }

    /** The same with another number of pods. */
    public Part of(int count) {
      return new Part(count, resources);
    }
  }

  public WorkerRequest {
    collectors = Objects.requireNonNullElse(collectors, Part.NONE);
    learners = Objects.requireNonNullElse(learners, Part.NONE);
    mostLearners = Math.max(mostLearners, learners.replicas());
    split = List.copyOf(Objects.requireNonNullElse(split, List.of()));
  }

  /** What about it nobody can have meant; empty if it is right. */
  Optional<String> fault() {
    if (split.stream().anyMatch(gpus -> gpus < 1)) {
      return Optional.of("a split with less than one GPU in a pod");
    } else if (split.stream().mapToLong(Integer::longValue).sum() > MOST_GPUS) {
      return Optional.of("more than %d GPUs in a learner".formatted(MOST_GPUS));
    } else if (hasSets() && mostLearners > MOST_SETS) {
      return Optional.of("more than %d learners of several pods".formatted(MOST_SETS));
    } else if (!isTime(readyAt)) {
      return Optional.of("a readyAt that is no time");
    }
    return collectors.fault().or(learners::fault);
  }

  private static boolean isTime(String text) {
    try {
      return text == null || Instant.parse(text) != null;
    } catch (DateTimeParseException _) {
      return false;
    }
  }

  /** Whether its learners are sets of an aggregator and the pods behind it. */
  public boolean hasSets() {
    return !split.isEmpty();
  }

  /** Pods of one learner. */
  public int podsOfLearner() {
    return 1 + split.size();
  }

  /** Pods in all. */
  public int pods() {
    long all = collectors.replicas() + (long) learners.replicas() * podsOfLearner();
    return (int) Math.min(all, Integer.MAX_VALUE);
  }

  /**
   * What a pod asks for, and is limited to, beside what its template says.
   *
   * @param part which pod of its set, 0 for the aggregator; 0 also where there is no set
   */
  Map<String, String> resources(String type, int part) {
    return switch (type) {
      case CoordinatorNames.COLLECTOR -> collectors.resources();
      case CoordinatorNames.LEARNER -> learners.resources();
      case CoordinatorNames.DDP_LEARNER -> {
        var resources = new HashMap<>(learners.resources());
        resources.put(GPU, Integer.toString(split.get(part - 1)));
        yield resources;
      }
      default -> Map.of();
    };
  }

  /** The same with these many pods. */
  public WorkerRequest sized(int collectorCount, int learnerCount) {
    return new WorkerRequest(
        id,
        coordinator,
        body,
        collectors.of(collectorCount),
        learners.of(learnerCount),
        mostLearners,
        split,
        isFirstSet,
        askedAt,
        readyAt);
  }

  /** The same once all its pods were ready. */
  public WorkerRequest ready(String at) {
    return new WorkerRequest(
        id, coordinator, body, collectors, learners, mostLearners, split, isFirstSet, askedAt, at);
  }
}
