package io.muster.controller.kube;

import io.muster.controller.api.StoredMembers;
import io.muster.controller.api.StoredMending;
import io.muster.controller.api.StoredState;
import io.muster.controller.core.state.JobState;
import io.muster.controller.core.state.JobState.Passed;
import io.muster.controller.core.state.JobState.Phase;
import io.muster.controller.core.state.JobState.Standing;
import io.muster.controller.core.state.RestartRound;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Reads and writes the engine's state where a kind stores it as it is. */
public final class StoredStates {

  private StoredStates() {}

  /**
   * What is stored; times are kept beside it.
   *
   * @param stored null if there is nothing yet
   * @param startedAt null or empty if it has not begun
   * @param endedAt null or empty if it has not ended
   */
  public static JobState read(StoredState stored, String startedAt, String endedAt) {
    if (stored == null) {
      return JobState.NEW;
    }
    return new JobState(
        Phase.valueOf(stored.phase()),
        time(startedAt),
        time(endedAt),
        time(stored.waitsSince()),
        Objects.requireNonNullElse(stored.restarts(), 0),
        present(stored.targets()),
        present(stored.unseen()),
        present(stored.burnt()),
        passed(Objects.requireNonNullElse(stored.passed(), List.of())),
        Optional.ofNullable(stored.resizing()),
        present(stored.asked()),
        present(stored.owed()),
        sorted(present(stored.replacedAt()), at -> at.stream().map(Instant::parse).toList()),
        sorted(present(stored.members()), StoredStates::standing),
        Optional.ofNullable(stored.mending()).map(StoredStates::mending).orElse(RestartRound.NONE));
  }

  /** A time as a status says it. */
  public static Optional<Instant> time(String text) {
    return Optional.ofNullable(text).filter(said -> !said.isEmpty()).map(Instant::parse);
  }

  /** What is to be stored; what is empty is left out. */
  public static StoredState write(JobState state) {
    return write(state, Map.of());
  }

  /**
   * The same with the templates of the job's pods.
   *
   * @param templates digests, by field
   */
  public static StoredState write(JobState state, Map<String, String> templates) {
    return new StoredState(
        state.phase().name(),
        state.restarts() == 0 ? null : state.restarts(),
        orNull(state.targets()),
        orNull(state.unseen()),
        orNull(state.burnt()),
        state.passed().isEmpty()
            ? null
            : state.passed().stream()
                .map(step -> step.step() + ":" + step.role())
                .sorted()
                .toList(),
        state.resizing().orElse(null),
        orNull(state.asked()),
        orNull(state.owed()),
        orNull(sorted(state.standings(), StoredStates::stored)),
        state.mending().equals(RestartRound.NONE) ? null : stored(state.mending()),
        orNull(sorted(state.replacedAt(), at -> at.stream().map(Instant::toString).toList())),
        state.waitsSince().map(Instant::toString).orElse(null),
        orNull(templates));
  }

  private static StoredMending stored(RestartRound mending) {
    return new StoredMending(
        mending.stage().name(),
        mending.causes().isEmpty()
            ? null
            : mending.causes().stream().map(RestartRound.Cause::name).sorted().toList(),
        mending.failures(),
        mending.moves(),
        orNull(sorted(mending.going(), StoredStates::text)));
  }

  private static RestartRound mending(StoredMending stored) {
    return new RestartRound(
        RestartRound.Stage.valueOf(stored.stage()),
        Objects.requireNonNullElse(stored.causes(), List.<String>of()).stream()
            .map(RestartRound.Cause::valueOf)
            .collect(Collectors.toSet()),
        Objects.requireNonNullElse(stored.failures(), 0),
        Objects.requireNonNullElse(stored.moves(), 0),
        sorted(present(stored.going()), StoredStates::numbered));
  }

  private static StoredMembers stored(Standing standing) {
    return new StoredMembers(
        text(standing.ranks()), text(standing.losses()), text(standing.ended()));
  }

  private static Standing standing(StoredMembers members) {
    return new Standing(
        numbered(members.ranks()), numbered(members.losses()), numbered(members.ended()));
  }

  /** By role, in order. */
  private static <V, W> Map<String, W> sorted(Map<String, V> map, Function<V, W> of) {
    var sorted = new TreeMap<String, W>();
    map.forEach((role, value) -> sorted.put(role, of.apply(value)));
    return sorted;
  }

  private static <V> Map<String, V> text(Map<Integer, V> map) {
    var text = new TreeMap<String, V>();
    map.forEach((index, value) -> text.put(Integer.toString(index), value));
    return orNull(text);
  }

  private static <V> Map<Integer, V> numbered(Map<String, V> map) {
    var numbered = new TreeMap<Integer, V>();
    present(map).forEach((index, value) -> numbered.put(Integer.valueOf(index), value));
    return numbered;
  }

  private static Set<Passed> passed(List<String> stored) {
    var passed = new HashSet<Passed>();
    for (var step : stored) {
      int colon = step.indexOf(':');
      passed.add(
          new Passed(Passed.Step.valueOf(step.substring(0, colon)), step.substring(colon + 1)));
    }
    return passed;
  }

  private static <V> Map<String, V> present(Map<String, V> stored) {
    return Objects.requireNonNullElse(stored, Map.of());
  }

  private static <V> Map<String, V> orNull(Map<String, V> map) {
    return map.isEmpty() ? null : map;
  }
}
