package io.muster.deploy.view;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.Replay;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.GangReport;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.core.protocol.query.Forecast;
import io.muster.extender.core.protocol.query.Prospect;
import io.muster.extender.kube.gang.GangObjectNames;
import io.muster.extender.kube.gang.GangObjects;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Explains gangs, pods and jobs by what a running Muster says, else by what one would say that
 * started now. Words of its own it has only for what no gang is concerned with.
 *
 * @param isGivenUp whether whose end would make room is not worked out any further
 */
public record Explaining(Sight sight, BooleanSupplier isGivenUp) {

  private static final int NODES_NAMED = 4;

  private static final String UNFORESEEN =
      "not known when it will start: what ends by a known run time makes no room for it"
          + " (annotation muster.io/run-time)";

  private static final String UNFORESEEN_IN_QUEUE =
      "not known when it will start: what ends by a known run time does not let it start"
          + " (annotation muster.io/run-time)";

  /** Takes the time that it needs. */
  public Explaining(Sight sight) {
    this(sight, () -> false);
  }

  /**
   * A gang of that name, else one whose object has that name; of two dialects the one that has
   * pods. Empty if nobody knows it.
   */
  Optional<Explanation> gang(String namespace, String name) {
    return gang(namespace, (GangId id) -> id.name().equals(name))
        .or(() -> gang(namespace, id -> GangObjectNames.candidates(id).contains(name)));
  }

  private Optional<Explanation> gang(String namespace, Predicate<GangId> isMeant) {
    var ofPods = sight.pods(namespace).stream().flatMap(pod -> gangOf(pod).stream());
    return first(isMeant, ofPods).or(() -> first(isMeant, sight.stored(namespace).stream()));
  }

  private Optional<Explanation> first(Predicate<GangId> isMeant, Stream<GangId> gangs) {
    return gangs.distinct().filter(isMeant).sorted().flatMap(id -> gang(id).stream()).findFirst();
  }

  /** A gang; empty if nobody knows it. */
  public Optional<Explanation> gang(GangId id) {
    var told = sight.told(id);
    var report = report(id);
    var members =
        sight.pods(id.namespace()).stream()
            .filter(pod -> gangOf(pod).equals(Optional.of(id)))
            .toList();
    return report.map(found -> {
      var evidence = new ArrayList<String>();
      evidence.add(
          "phase %s, reason %s, %d members, %d bound"
              .formatted(
                  GangObjects.wordOf(found.phase()),
                  found.reason().code(),
                  found.members(),
                  found.bound()));
      evidence.add("members: " + standing(members));
      var place = inLine(id);
      place.ifPresent(evidence::add);
      if (hasStarted(found)) {
        members.stream()
            .filter(Explaining::waitsForANode)
            .findFirst()
            .ifPresent(
                pod -> evidence.add("pod %s: %s".formatted(pod.key().name(), besideItsGang(pod))));
      }
      if (found.reason().isWantOfRoom()) {
        evidence.add(expected(id, found).orElse(UNFORESEEN));
        afterwards(id, members).ifPresent(evidence::add);
      } else if (place.isPresent()) {
        evidence.add(expected(id, found).orElse(UNFORESEEN_IN_QUEUE));
      }
      evidence.add(
          told.isPresent()
              ? "said by the Muster that leads, in the Gang object"
              : "worked out from the cluster as it stands: no Muster says it");
      return new Explanation(
          "gang " + id, found.message(), evidence, found.remedy(), isWell(found));
    });
  }

  private Optional<GangReport> report(GangId id) {
    return sight.told(id).or(() -> sight.replay().flatMap(replay -> replay.report(id)));
  }

  /** Whether members that are on no node have not to wait for each other any more. */
  private static boolean hasStarted(GangReport report) {
    return report.reason() == Reason.SATISFIED
        || report.reason() == Reason.LEFT_TO_OWNER
        || report.reason() == Reason.BELOW_MINIMUM;
  }

  private static boolean waitsForANode(Pod pod) {
    return !pod.isBound()
        && !pod.isTerminal()
        && !pod.progress().deleting()
        && !pod.isGatedByOthers()
        && pod.unplaceable().isEmpty();
  }

  /** Of a member that waits for a node while its gang goes on. */
  private static String besideItsGang(Pod pod) {
    return "its gang has started, and it waits for a node of its own"
        + pod.progress().rejection().map(why -> ": " + why).orElse("");
  }

  private static boolean isWell(GangReport report) {
    return report.phase() == Phase.RUNNING || report.phase() == Phase.FINISHED;
  }

  /** The gang that it is a member of, or would be if Muster had been asked; empty if none. */
  public static Optional<GangId> gangOf(Pod pod) {
    return pod.membership().or(pod::observed).map(Membership::gang);
  }

  private static String standing(List<Pod> members) {
    var counts = new TreeMap<String, Integer>();
    var nodes = new TreeMap<String, Integer>();
    for (var pod : members) {
      counts.merge(standing(pod), 1, Integer::sum);
      pod.progress()
          .nodeName()
          .filter(_ -> !pod.isTerminal())
          .ifPresent(node -> nodes.merge(node, 1, Integer::sum));
    }
    var words = new ArrayList<String>();
    counts.forEach((word, count) -> words.add(count + " " + word));
    var named =
        nodes.isEmpty()
            ? ""
            : ", on "
                + String.join(", ", nodes.keySet().stream().limit(NODES_NAMED).toList())
                + (nodes.size() > NODES_NAMED
                    ? " and %d more nodes".formatted(nodes.size() - NODES_NAMED)
                    : "");
    return words.isEmpty() ? "none" : String.join(", ", words) + named;
  }

  /** How far a pod has come, in few words. */
  public static String standing(Pod pod) {
    if (pod.isTerminal()) {
      return pod.progress().phase() == Pod.Phase.SUCCEEDED ? "succeeded" : "failed";
    }
    if (pod.progress().deleting()) {
      return "ending";
    }
    if (pod.isBound()) {
      return "bound";
    }
    if (pod.isGatedByOthers()) {
      return "held by gates of others";
    }
    return pod.isGatedByMuster() ? "behind Muster's gate" : "pending";
  }

  /** Who is before it in the line. */
  private Optional<String> inLine(GangId id) {
    var waiting = sight.replay().map(Replay::waiting).orElse(List.of());
    for (int i = 0; i < waiting.size(); i++) {
      if (waiting.get(i).gang().equals(id)) {
        return Optional.of("place %d of %d in the line".formatted(i + 1, waiting.size()));
      }
    }
    return Optional.empty();
  }

  /** When it will start, as far as anybody knows. */
  private Optional<String> expected(GangId id, GangReport report) {
    return report.expectedStart().or(() -> sight.expectedStart(id)).map(ForeseenStarts::sentence);
  }

  /** Whose end would make room; it does not wait for places that it has got meanwhile. */
  private Optional<String> afterwards(GangId id, List<Pod> members) {
    var lots =
        members.stream()
            .filter(pod -> !pod.isBound() && !pod.isTerminal() && !pod.progress().deleting())
            .map(pod -> new Prospect.Lot(pod, 1))
            .toList();
    return Optional.of(lots)
        .filter(asked -> !asked.isEmpty())
        .flatMap(this::forecast)
        .filter(forecast -> !(forecast instanceof Forecast.Now) && !forecast.isAfter(id))
        .flatMap(forecast ->
            sight
                .replay()
                .map(replay -> new Fitting.Fit(forecast, replay.view().takenAt()).sentence()))
        .map(sentence -> sentence.replaceFirst("; now: .*", ""));
  }

  private Optional<Forecast> forecast(List<Prospect.Lot> lots) {
    try {
      return sight.replay().map((Replay replay) -> replay.forecast(lots, isGivenUp));
    } catch (CancellationException _) {
      return Optional.empty();
    }
  }

  /** A pod, by its gang if it has one. */
  Optional<Explanation> pod(String namespace, String name) {
    return sight.pods(namespace).stream()
        .filter(pod -> pod.key().name().equals(name))
        .findFirst()
        .map(pod -> {
          boolean isLate =
              waitsForANode(pod)
                  && gangOf(pod).flatMap(this::report).filter(Explaining::hasStarted).isPresent();
          var own =
              isLate
                  ? waits("pod " + pod.key(), besideItsGang(pod), "see its events")
                  : ownStanding(pod);
          var gang = gangOf(pod).flatMap(this::gang);
          if (gang.isEmpty() || pod.isTerminal()) {
            return own;
          }
          var evidence = new ArrayList<String>();
          evidence.add("the pod: " + own.sentence());
          evidence.add("a member of " + gang.get().subject());
          evidence.addAll(gang.get().evidence());
          return new Explanation(
              own.subject(),
              pod.isBound() || isLate ? own.sentence() : gang.get().sentence(),
              evidence,
              pod.isBound() || isLate ? own.remedy() : gang.get().remedy(),
              pod.isBound());
        });
  }

  private Explanation ownStanding(Pod pod) {
    var subject = "pod " + pod.key();
    var node = pod.progress().nodeName().orElse("");
    if (pod.isTerminal()) {
      return new Explanation(subject, "it has " + standing(pod), List.of(), "", true);
    }
    if (pod.progress().deleting()) {
      return new Explanation(subject, "it is being deleted", List.of(), "", true);
    }
    if (pod.isBound()) {
      return new Explanation(subject, "it is on node " + node, List.of(), "", true);
    }
    var unplaceable = pod.unplaceable().map(Terms.Unplaceable::problem);
    if (unplaceable.isPresent()) {
      return waits(subject, unplaceable.get(), "mend what is named there and create it again");
    }
    var absent = pod.progress().absentClaim();
    if (absent.isPresent()) {
      return waits(subject, absent.get().saidOf(pod.key()), absent.get().remedy());
    }
    if (pod.isGatedByOthers()) {
      return waits(
          subject,
          "scheduling gates of others hold it back: "
              + pod.progress().gates().stream()
                  .filter(gate -> !gate.equals(Pod.GATE))
                  .sorted()
                  .collect(Collectors.joining(", ")),
          "ask those whose gates they are");
    }
    if (pod.isGatedByMuster()) {
      return waits(subject, "it waits with its gang behind Muster's gate", "");
    }
    if (pod.membership().isPresent() || pod.observed().isPresent()) {
      return waits(subject, "it waits with its gang", "");
    }
    if (!pod.reachesMuster()) {
      return waits(
          subject,
          pod.progress()
              .rejection()
              .orElse("it asks for nothing that Muster looks after, and waits for kube-scheduler"),
          "see its events");
    }
    return forecast(List.of(new Prospect.Lot(pod, 1)))
        .map(forecast -> foreseen(subject, forecast))
        .orElseGet(() -> waits(subject, "it waits for room", "see its events"));
  }

  /** The sentence about a queue says itself what would do. */
  private Explanation foreseen(String subject, Forecast forecast) {
    var sentence = forecast.sentence();
    return switch (forecast) {
      case Forecast.Now _ when isLetDown() ->
          waits(
              subject,
              "there is room for it, but no Muster leads, and kube-scheduler asks Muster first",
              "start Muster, or see what muster doctor says");
      case Forecast.Now _ -> waits(subject, "there is room for it: it is on its way", "");
      case Forecast.AfterGangs _, Forecast.AfterOthers _ ->
          waits(subject, sentence, "add nodes, or wait until others end");
      case Forecast.AfterNodes _ ->
          waits(
              subject,
              "it needs nodes that are cordoned or not ready; " + sentence,
              "see kubectl get nodes: uncordon or mend nodes, or add some");
      case Forecast.Withheld _ -> waits(subject, sentence, "");
      case Forecast.Never(var cause, _) ->
          waits(
              subject,
              sentence,
              switch (cause) {
                case PODS -> "mend what is named there and create it again";
                case QUEUE -> "";
                case NODES -> "add nodes, or ask for less";
              });
    };
  }

  /** Whether kube-scheduler asks a Muster that is not there. */
  private boolean isLetDown() {
    return !sight.isLed()
        && sight.replay().filter(seen -> seen.view().rules().placement().isAsked()).isPresent();
  }

  private static Explanation waits(String subject, String sentence, String remedy) {
    return new Explanation(subject, sentence, List.of(), remedy, false);
  }

  /** A job, by the gangs of its pods, else by itself. */
  Optional<Explanation> job(String namespace, String kind, String name) {
    return sight
        .job(namespace, kind, name)
        .map(job -> {
          var subject = "%s %s/%s".formatted(job.kind(), namespace, name);
          var pods =
              sight.pods(namespace).stream()
                  .filter(pod -> pod.origin().controllerUid().equals(Optional.of(job.uid())))
                  .toList();
          var gangs =
              pods.stream().flatMap(pod -> gangOf(pod).stream()).distinct().sorted().toList();
          var explained = gangs.stream().flatMap(id -> gang(id).stream()).toList();
          var evidence = new ArrayList<String>();
          if (!job.standing().isEmpty()) {
            evidence.add("it says " + job.standing());
          }
          if (explained.isEmpty() && job.hasSucceeded()) {
            return new Explanation(subject, "it has succeeded", evidence, "", true);
          }
          if (explained.isEmpty()) {
            evidence.add("pods: " + standing(pods));
            boolean isUp = areUp(pods);
            return new Explanation(
                subject,
                standingOfAll(pods),
                evidence,
                isUp
                    ? ""
                    : pods.isEmpty()
                        ? "see its events"
                        : "see its events, and explain one of its pods",
                isUp);
          }
          var worst = explained.stream().filter(one -> !one.isWell()).findFirst();
          var shown = worst.orElse(explained.getFirst());
          evidence.add("its pods are " + shown.subject());
          evidence.addAll(shown.evidence());
          return new Explanation(
              subject, shown.sentence(), evidence, shown.remedy(), worst.isEmpty());
        });
  }

  private static boolean areUp(List<Pod> pods) {
    return !pods.isEmpty() && pods.stream().allMatch(pod -> pod.isBound() || pod.isTerminal());
  }

  private static String standingOfAll(List<Pod> pods) {
    if (pods.isEmpty()) {
      return "it has no pods";
    }
    if (pods.stream().allMatch(Pod::isTerminal)) {
      return "its pods have ended";
    }
    return areUp(pods) ? "its pods are bound" : "its pods wait";
  }
}
