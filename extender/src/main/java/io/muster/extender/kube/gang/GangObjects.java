package io.muster.extender.kube.gang;

import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.dialect.GoDuration;
import io.muster.extender.core.protocol.ExpectedStart;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.GangRecord.LimitReached;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.GangRecord.Place;
import io.muster.extender.core.protocol.GangReport;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.kube.ApiFields;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The way between records of the core and Gang objects. Stateless; safe for concurrent use. */
public final class GangObjects {

  private static final long MOST_COUNTED = 1_000_000_000_000_000L;

  private GangObjects() {}

  /** The gang that the object stands for; empty if it names none that this Muster knows. */
  public static Optional<GangId> idOf(Gang gang) {
    var spec = Optional.ofNullable(gang.getSpec());
    var name = spec.map(GangSpec::gangName).filter(text -> !text.isEmpty());
    return spec.map(GangSpec::dialect)
        .flatMap(label ->
            Arrays.stream(Dialect.values()).filter(d -> d.label().equals(label)).findFirst())
        .flatMap(dialect ->
            name.map(text -> new GangId(dialect, gang.getMetadata().getNamespace(), text)));
  }

  /** What is stored in the object; empty where Muster has stored nothing that it can read. */
  public static Optional<GangRecord> recordOf(Gang gang) {
    var status = gang.getStatus();
    if (status == null || status.phase() == null) {
      return Optional.empty();
    }
    return idOf(gang)
        .flatMap(id ->
            phaseOf(status.phase())
                .map(phase ->
                    new GangRecord(
                        id,
                        counted(status.incarnation()).orElse(1L),
                        counted(status.epoch()).orElse(0L),
                        phase,
                        Objects.requireNonNullElse(gang.getSpec().minAvailable(), 0),
                        Objects.requireNonNullElse(status.satisfied(), false),
                        placesIn(status.placement()),
                        Optional.ofNullable(status.controllerUid()),
                        Optional.ofNullable(status.runTimeLimitReached())
                            .flatMap(GangObjects::limitIn),
                        Objects.requireNonNullElse(status.ending(), false))));
  }

  /** A number that was counted up; empty without one, or for one that nobody counts to. */
  static Optional<Long> counted(Long stored) {
    return Optional.ofNullable(stored).filter(number -> number >= 0 && number < MOST_COUNTED);
  }

  /** When the stored phase was reached; empty where that is not stored, or no time. */
  public static Optional<Instant> sinceOf(Gang gang) {
    return Optional.ofNullable(gang.getStatus())
        .map(GangStatus::lastTransitionTime)
        .flatMap(ApiFields::instant);
  }

  /** The spec of an object that Muster makes itself. */
  public static GangSpec specOf(GangRecord gang) {
    return new GangSpec(
        gang.gang().dialect().label(),
        gang.gang().name(),
        gang.minAvailable() == 0 ? null : gang.minAvailable());
  }

  /** The status that stores record and report, without its time of transition. */
  public static GangStatus statusOf(GangRecord gang, GangReport report) {
    return new GangStatus(
        wordOf(gang.phase()),
        gang.incarnation(),
        gang.epoch(),
        gang.satisfied(),
        report.members(),
        report.bound(),
        report.position().orElse(null),
        report.expectedStart().map(GangObjects::expected).orElse(null),
        report.reason().code(),
        report.message(),
        report.remedy().isEmpty() ? null : report.remedy(),
        membersByNode(gang.placement()),
        gang.controllerUid().orElse(null),
        gang.limitReached().map(GangObjects::limit).orElse(null),
        gang.ending() ? true : null,
        null,
        null);
  }

  /** What users read in it; empty for the words of another version. */
  public static Optional<GangReport> reportIn(GangStatus status) {
    var reason =
        Arrays.stream(Reason.values())
            .filter(one -> one.code().equals(status.reason()))
            .findFirst();
    Optional<Phase> phase = Optional.ofNullable(status.phase()).flatMap(GangObjects::phaseOf);
    return reason.isEmpty() || phase.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new GangReport(
                phase.get(),
                Objects.requireNonNullElse(status.members(), 0),
                Objects.requireNonNullElse(status.bound(), 0),
                Optional.ofNullable(status.position()),
                Optional.ofNullable(status.expectedStart()).flatMap(GangObjects::expectedIn),
                reason.get(),
                Objects.requireNonNullElse(status.message(), ""),
                Objects.requireNonNullElse(status.remedy(), "")));
  }

  /** When the gang will probably start, as it is stored; empty where no time can be read. */
  private static Optional<ExpectedStart> expectedIn(GangStatus.Expected stored) {
    return Optional.ofNullable(stored.p50())
        .flatMap(ApiFields::instant)
        .map(p50 ->
            new ExpectedStart(
                p50,
                Optional.ofNullable(stored.p90()).flatMap(ApiFields::instant),
                Objects.requireNonNullElse(stored.after(), "")));
  }

  private static GangStatus.Expected expected(ExpectedStart start) {
    return new GangStatus.Expected(
        start.p50().toString(),
        start.p90().map(Instant::toString).orElse(null),
        start.after().isEmpty() ? null : start.after());
  }

  /** That a run-time limit was reached, as it is stored; empty where that cannot be read. */
  private static Optional<LimitReached> limitIn(GangStatus.LimitReached stored) {
    var controllers =
        Objects.requireNonNullElse(stored.controllerUids(), List.<String>of()).stream()
            .filter(Objects::nonNull)
            .collect(Collectors.toSet());
    return Optional.ofNullable(stored.limit())
        .flatMap(GoDuration::parse)
        .flatMap(limit ->
            Optional.ofNullable(stored.at())
                .flatMap(ApiFields::instant)
                .map(at -> new LimitReached(at, limit, controllers)));
  }

  private static GangStatus.LimitReached limit(LimitReached reached) {
    return new GangStatus.LimitReached(
        reached.at().toString(),
        GoDuration.text(reached.limit()),
        reached.controllers().stream().sorted().toList());
  }

  /** The phase as objects spell it. */
  public static String wordOf(Phase phase) {
    return switch (phase) {
      case WAITING -> "Waiting";
      case PLANNED -> "Planned";
      case BINDING -> "Binding";
      case RUNNING -> "Running";
      case BROKEN -> "Broken";
      case FINISHED -> "Finished";
    };
  }

  /** The phase so spelt; empty for a word of another version. */
  public static Optional<Phase> phaseOf(String word) {
    return Arrays.stream(Phase.values()).filter(p -> wordOf(p).equals(word)).findFirst();
  }

  private static Map<String, List<GangStatus.Member>> membersByNode(Map<String, Place> placement) {
    var byNode = new TreeMap<String, List<GangStatus.Member>>();
    placement.forEach((uid, place) ->
        byNode
            .computeIfAbsent(place.node(), _ -> new ArrayList<>())
            .add(new GangStatus.Member(place.podName(), uid)));
    byNode.replaceAll((_, members) ->
        members.stream().sorted(Comparator.comparing(GangStatus.Member::name)).toList());
    return byNode;
  }

  private static Map<String, Place> placesIn(Map<String, List<GangStatus.Member>> byNode) {
    var places = new HashMap<String, Place>();
    Objects.requireNonNullElse(byNode, Map.<String, List<GangStatus.Member>>of())
        .forEach((node, members) ->
            members.forEach(member -> places.put(member.uid(), new Place(member.name(), node))));
    return places;
  }
}
