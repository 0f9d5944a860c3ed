package io.muster.deploy.view;

import io.muster.deploy.config.Config;
import io.muster.deploy.config.Setting;
import io.muster.deploy.mutate.Manifests;
import io.muster.deploy.mutate.PodTemplate;
import io.muster.deploy.serve.Preview;
import io.muster.extender.core.decision.Replay;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.core.protocol.ClusterView;
import io.muster.extender.core.protocol.query.Forecast;
import io.muster.extender.core.protocol.query.Forecast.Running;
import io.muster.extender.core.protocol.query.Prospect;
import io.muster.extender.core.queue.Queues;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.webhook.core.PodAdmission;
import io.muster.webhook.core.rendezvous.KnownKinds;
import io.muster.webhook.json.ProfilesReading;
import io.muster.webhook.port.NamespaceLabels;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * Asks the planner about pods that nobody has made: manifests are read, their pods seen as they
 * would be stored, and a view of the cluster asked about all of them together. Safe for concurrent
 * use.
 */
public final class Fitting {

  private static final int NAMED = 10;

  /** More than any gang may have, and few enough to be planned while somebody waits. */
  private static final int MOST_PODS = 20_000;

  private final Preview preview;

  public Fitting(Config settings) {
    var rules = new ProfilesReading(settings.admittedSchedulers()).defaults();
    var sources =
        new PodAdmission.Sources(
            () -> rules,
            KnownKinds.ALL,
            NamespaceLabels.UNKNOWN,
            settings.rules().placement().isAsked(),
            settings.isOn(Setting.KEEP_MANAGED_FIELDS),
            () -> Queues.NONE,
            settings.assignedScheduler());
    this.preview =
        new Preview(
            new PodConverter(new DialectDetector(), settings.admittedSchedulers()),
            sources,
            InstantSource.fixed(Instant.EPOCH));
  }

  /** What manifests ask for. */
  public sealed interface Asked {

    /** These pods, at least one. */
    record Pods(List<Prospect.Lot> lots) implements Asked {
      public Pods {
        lots = List.copyOf(lots);
      }
    }

    /** Nothing: they cannot be read, have no pods or too many; the sentence says what is wrong. */
    record Nothing(String why) implements Asked {}

    /** Pods that would not be stored; the sentence says which and why. */
    record Refused(String sentence) implements Asked {}
  }

  /**
   * What would become of pods that nobody has made, in words. Immutable.
   *
   * @param at the moment at which they would be made
   */
  public record Fit(Forecast forecast, Instant at) {

    /** In one word, for programs. */
    public String word() {
      return switch (forecast) {
        case Forecast.Now _ -> "now";
        case Forecast.AfterGangs _ -> "after-gangs";
        case Forecast.AfterOthers _ -> "after-other-pods";
        case Forecast.AfterNodes _ -> "after-nodes";
        case Forecast.Withheld _ -> "after-queue";
        case Forecast.Never _ -> "never";
      };
    }

    /** The gangs that have to end first; none if that is not what they wait for. */
    public List<Running> after() {
      return forecast instanceof Forecast.AfterGangs(var gangs, _) ? gangs : List.of();
    }

    /** For people. */
    public String sentence() {
      return sentence(after(), 0, Optional.of(forecast.sentence()));
    }

    /**
     * The same for somebody who does not see everything.
     *
     * @param seen those of {@link #after} that may be named
     * @param hidden how many more there are
     * @param why what may be said of it, if anything
     */
    public String sentence(List<Running> seen, int hidden, Optional<String> why) {
      return switch (forecast) {
        case Forecast.Now _ -> "would start now" + after(": ", why);
        case Forecast.AfterGangs _ ->
            "would start once %s ended%s".formatted(ended(seen, hidden), after("; now: ", why));
        case Forecast.AfterOthers _ ->
            "would start once pods that belong to no gang have ended too" + after("; now: ", why);
        case Forecast.AfterNodes _ ->
            "would start once nodes that are cordoned or not ready take pods" + after("; ", why);
        case Forecast.Withheld _ -> "would wait for its queue" + after(": ", why);
        case Forecast.Never _ -> "would never start" + after(": ", why);
      };
    }

    private static String after(String join, Optional<String> why) {
      return why.map(join::concat).orElse("");
    }

    private String ended(List<Running> seen, int hidden) {
      var others = hidden == 1 ? "1 gang" : hidden + " gangs";
      if (seen.isEmpty()) {
        return "%s of other namespaces %s".formatted(others, hidden == 1 ? "has" : "have");
      }
      var named =
          seen.stream()
              .limit(NAMED)
              .map(one -> "%s (for %s here)".formatted(one.gang(), age(one.since(), at)))
              .collect(Collectors.joining(", "));
      var more = seen.size() > NAMED ? " and %d more".formatted(seen.size() - NAMED) : "";
      var beside = hidden == 0 ? "" : " and %s of other namespaces".formatted(others);
      return seen.size() == 1
          ? "gang %s%s %s".formatted(named, beside, hidden == 0 ? "has" : "have")
          : "%d gangs, %s%s,%s have".formatted(seen.size(), named, more, beside);
    }

    /** As kubectl shows ages. */
    static String age(Instant since, Instant now) {
      var age = Duration.between(since, now);
      if (age.isNegative()) {
        return "0s";
      }
      if (age.toHours() >= 48) {
        return age.toDays() + "d";
      }
      if (age.toMinutes() >= 120) {
        return age.toHours() + "h";
      }
      return age.toSeconds() >= 120 ? age.toMinutes() + "m" : age.toSeconds() + "s";
    }
  }

  /**
   * Reads manifests.
   *
   * @param namespace of objects that name none
   */
  public Asked read(String manifests, String namespace) {
    List<PodTemplate> templates;
    try {
      templates = Manifests.read(manifests, namespace);
    } catch (Manifests.UnreadableException e) {
      return new Asked.Nothing(e.getMessage());
    }
    long pods = templates.stream().mapToLong(PodTemplate::count).sum();
    if (pods == 0) {
      return new Asked.Nothing("no pod and no template of one is in it");
    }
    if (pods > MOST_PODS) {
      return new Asked.Nothing("asks for %d pods, more than %d".formatted(pods, MOST_PODS));
    }
    var lots = new ArrayList<Prospect.Lot>();
    for (var template : templates) {
      var own = template.pod().at("/metadata/namespace").asText();
      switch (preview.of(template.pod(), own)) {
        case Preview.Seen.Refused(var sentence) -> {
          return new Asked.Refused(template.origin() + " would be refused: " + sentence);
        }
        case Preview.Seen.Stored(var pod) -> lots.add(new Prospect.Lot(pod, template.count()));
      }
    }
    return new Asked.Pods(lots);
  }

  /** What would become of them, were they made at the moment of the view. */
  public static Fit fit(Asked.Pods pods, ClusterView view) {
    return fit(pods, view, () -> false);
  }

  /**
   * The same for somebody who may not wait for the answer.
   *
   * @throws java.util.concurrent.CancellationException if it was given up
   */
  public static Fit fit(Asked.Pods pods, ClusterView view, BooleanSupplier isGivenUp) {
    return new Fit(new Replay(view).forecast(pods.lots(), isGivenUp), view.takenAt());
  }
}
