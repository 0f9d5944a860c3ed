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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
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
    return stored == null ? JobState.NEW : read(stored, time(startedAt), time(endedAt));
  }

  /** A time as a status says it. */
  public static Optional<Instant> time(String text) {
    return Optional.ofNullable(text).filter(said -> !said.isEmpty()).map(Instant::parse);
  }

  private static JobState read(
      StoredState stored, Optional<Instant> startedAt, Optional<Instant> endedAt) {
    return new JobState(
        Phase.valueOf(stored.phase()),
        startedAt,
        endedAt,
        time(stored.waitsSince()),
        Objects.requireNonNullElse(stored.restarts(), 0),
        present(stored.targets()),
        present(stored.unseen()),
        present(stored.burnt()),
        passed(Objects.requireNonNullElse(stored.passed(), List.of())),
        Optional.ofNullable(stored.resizing()),
        present(stored.asked()),
        present(stored.owed()),
        times(present(stored.replacedAt())),
        standings(present(stored.members())),
        Optional.ofNullable(stored.mending()).map(StoredStates::mending).orElse(RestartRound.NONE));
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
        orNull(members(state)),
        state.mending().equals(RestartRound.NONE) ? null : stored(state.mending()),
        orNull(written(state.replacedAt())),
        state.waitsSince().map(Instant::toString).orElse(null),
        orNull(templates));
  }

  private static Map<String, List<String>> written(Map<String, List<Instant>> times) {
    var written = new TreeMap<String, List<String>>();
    times.forEach((role, at) -> written.put(role, at.stream().map(Instant::toString).toList()));
    return written;
  }

  private static Map<String, List<Instant>> times(Map<String, List<String>> written) {
    var times = new HashMap<String, List<Instant>>();
    written.forEach((role, at) -> times.put(role, at.stream().map(Instant::parse).toList()));
    return times;
  }

  private static StoredMending stored(RestartRound mending) {
    var going = new TreeMap<String, Map<String, String>>();
    mending.going().forEach((role, uids) -> going.put(role, text(uids)));
    return new StoredMending(
        mending.stage().name(),
        mending.causes().isEmpty()
            ? null
            : mending.causes().stream().map(RestartRound.Cause::name).sorted().toList(),
        mending.failures(),
        mending.moves(),
        orNull(going));
  }

  private static RestartRound mending(StoredMending stored) {
    var going = new HashMap<String, Map<Integer, String>>();
    present(stored.going()).forEach((role, uids) -> going.put(role, numbered(uids)));
    return new RestartRound(
        RestartRound.Stage.valueOf(stored.stage()),
        Objects.requireNonNullElse(stored.causes(), List.<String>of()).stream()
            .map(RestartRound.Cause::valueOf)
            .collect(Collectors.toSet()),
        Objects.requireNonNullElse(stored.failures(), 0),
        Objects.requireNonNullElse(stored.moves(), 0),
        going);
  }

  private static Map<String, StoredMembers> members(JobState state) {
    var members = new TreeMap<String, StoredMembers>();
    state
        .standings()
        .forEach((role, standing) ->
            members.put(
                role,
                new StoredMembers(
                    text(standing.ranks()), text(standing.losses()), text(standing.ended()))));
    return members;
  }

  private static Map<String, Standing> standings(Map<String, StoredMembers> stored) {
    var standings = new HashMap<String, Standing>();
    stored.forEach((role, members) ->
        standings.put(
            role,
            new Standing(
                numbered(members.ranks()), numbered(members.losses()), numbered(members.ended()))));
    return standings;
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
