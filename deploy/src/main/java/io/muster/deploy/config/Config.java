package io.muster.deploy.config;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.controller.core.elastic.ByTerms;
import io.muster.controller.core.elastic.EdlPolicy;
import io.muster.controller.core.elastic.Elasticity;
import io.muster.controller.core.elastic.GangPolicy;
import io.muster.controller.kinds.dlrover.job.Mode;
import io.muster.controller.kube.node.LeavingNodes;
import io.muster.controller.kube.node.SignalTable;
import io.muster.extender.core.gang.Enrolment;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.PlacementMode;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Waiting;
import io.muster.extender.kube.watch.ClusterFeed;
import io.muster.extender.kube.write.ClusterWrites;
import io.muster.extender.yaml.MalformedYamlException;
import io.muster.extender.yaml.YamlReading;
import io.muster.webhook.core.PodAdmission;
import io.muster.webhook.kube.Registration;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * The settings of one process, read once: an environment variable wins over the file, the file over
 * the default. Unknown keys are errors. Immutable.
 */
public final class Config {

  /** By the downward API; what advertiseAddress is without a value of its own. */
  private static final String POD_IP = "POD_IP";

  private final Map<Setting, String> values;

  /** Four fifths of it, what is left before a renewal, must hold both tries of a Binding. */
  private static final Duration SHORTEST_LEASE =
      ClusterWrites.Settings.DEFAULT
          .requestTimeout()
          .multipliedBy(2 * 5)
          .dividedBy(4)
          .plusMillis(500);

  private final Deadlines deadlines;
  private final LeavingNodes.Settings reclaim;

  private Config(Map<Setting, String> values, Deadlines deadlines, LeavingNodes.Settings reclaim) {
    this.values = new EnumMap<>(values);
    this.deadlines = deadlines;
    this.reclaim = reclaim;
  }

  /**
   * Reads file and environment.
   *
   * @throws InvalidConfigException with every problem found, each naming its key and what would be
   *     right
   */
  public static Config load(Optional<Path> file, Map<String, String> environment) {
    var problems = new ArrayList<String>();
    var values = new EnumMap<Setting, String>(Setting.class);
    for (var setting : Setting.values()) {
      values.put(setting, setting.fallback());
    }
    file.ifPresent(path -> readFile(path, values, problems));
    readEnvironment(environment, values, problems);
    values.computeIfPresent(
        Setting.ADVERTISE_ADDRESS,
        (_, stated) -> stated.isBlank() ? environment.getOrDefault(POD_IP, "") : stated);
    values.forEach((setting, value) ->
        setting
            .problemWith(value)
            .ifPresent(problem -> problems.add(setting.key() + " " + problem)));
    problems.addAll(StatedTexts.problems(values));
    if (problems.isEmpty()
        && seconds(values, Setting.LEASE_DURATION)
                .compareTo(seconds(values, Setting.BIND_TIMEOUT).multipliedBy(2))
            < 0) {
      problems.add(
          "leaseDurationSeconds must be at least twice bindTimeoutSeconds, or no burst could begin");
    }
    if (problems.isEmpty()
        && seconds(values, Setting.LEASE_DURATION).compareTo(SHORTEST_LEASE) < 0) {
      problems.add(
          "leaseDurationSeconds must be at least %d, or no Binding could end within it"
              .formatted(SHORTEST_LEASE.toSeconds()));
    }
    var assigned = values.get(Setting.ASSIGN_SCHEDULER);
    if (!assigned.isBlank() && !split(values.get(Setting.SCHEDULERS)).contains(assigned)) {
      problems.add(
          "assignScheduler must be one of schedulers, not \"%s\"; add it there"
              .formatted(assigned));
    }
    if (values.get(Setting.CERTIFICATE_SECRET).isBlank()
        && !values.get(Setting.SCHEDULER_CLIENT_SECRET).isBlank()) {
      problems.add(
          "schedulerClientSecret needs certificateSecret, or Muster's own CA would not be asked");
    }
    if (problems.isEmpty()) {
      try {
        return new Config(values, deadlines(values), reclaim(values));
      } catch (IllegalArgumentException e) {
        problems.add(e.getMessage());
      }
    }
    throw new InvalidConfigException(problems);
  }

  private static void readFile(Path path, Map<Setting, String> values, List<String> problems) {
    List<JsonNode> documents;
    try {
      documents =
          YamlReading.ofUniqueKeys().all(Files.readString(path)).stream()
              .filter(Config::saysSomething)
              .toList();
    } catch (MalformedYamlException e) {
      problems.add("%s: %s".formatted(path, e.getMessage()));
      return;
    } catch (IOException | UncheckedIOException e) {
      problems.add("%s cannot be read: %s".formatted(path, e.getMessage()));
      return;
    }
    if (documents.isEmpty()) {
      return;
    }
    if (documents.size() > 1) {
      problems.add(
          "%s has %d documents: write all settings into one".formatted(path, documents.size()));
      return;
    }
    var tree = documents.getFirst();
    if (!tree.isObject()) {
      problems.add(path + " must be a map of settings");
      return;
    }
    tree.properties()
        .forEach(entry ->
            Setting.byKey(entry.getKey())
                .ifPresentOrElse(
                    setting -> take(setting, entry.getValue(), values, problems),
                    () -> problems.add(unknown(entry.getKey(), Setting::key))));
  }

  /** What stands behind a line that ends a document may be nothing. */
  private static boolean saysSomething(JsonNode document) {
    return document.isContainerNode() || !(document.isNull() || document.asText().isEmpty());
  }

  private static void take(
      Setting setting, JsonNode value, Map<Setting, String> values, List<String> problems) {
    if (value.isValueNode() && !value.isNull()) {
      values.put(setting, value.asText());
    } else {
      problems.add(setting.key() + " must be a single value");
    }
  }

  private static void readEnvironment(
      Map<String, String> environment, Map<Setting, String> values, List<String> problems) {
    environment.forEach((variable, value) -> {
      if (variable.startsWith("MUSTER_CFG_")) {
        Setting.byVariable(variable)
            .ifPresentOrElse(
                setting -> values.put(setting, value),
                () -> problems.add(unknown(variable, Setting::variable)));
      }
    });
  }

  /** Named as they are where it stands: keys in a file, variables in the environment. */
  private static String unknown(String name, Function<Setting, String> naming) {
    return "%s is not a setting; there are %s"
        .formatted(name, String.join(", ", Arrays.stream(Setting.values()).map(naming).toList()));
  }

  private static Deadlines deadlines(Map<Setting, String> values) {
    return new Deadlines(
        seconds(values, Setting.SCHEDULER_HTTP_TIMEOUT),
        seconds(values, Setting.SCHEDULER_POD_MAX_BACKOFF),
        seconds(values, Setting.PERMIT_TIMEOUT),
        seconds(values, Setting.BIND_TIMEOUT),
        seconds(values, Setting.RESERVATION_PROGRESS_TIMEOUT),
        seconds(values, Setting.RESERVATION_TIMEOUT),
        seconds(values, Setting.REPAIR_TIMEOUT),
        seconds(values, Setting.REPLACEMENT_TIMEOUT),
        seconds(values, Setting.VOLUME_RESERVATION_TIMEOUT));
  }

  private static LeavingNodes.Settings reclaim(Map<Setting, String> values) {
    return new LeavingNodes.Settings(
        signals(values.get(Setting.RECLAIM_TABLE)),
        seconds(values, Setting.RECLAIM_NOTICE),
        seconds(values, Setting.RECLAIM_MARGIN));
  }

  private static SignalTable signals(String file) {
    try {
      return file.isBlank() ? SignalTable.builtIn() : SignalTable.in(Path.of(file));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("reclaimTable: " + e.getMessage(), e);
    }
  }

  private static Duration seconds(Map<Setting, String> values, Setting setting) {
    return Duration.ofSeconds(Integer.parseInt(values.get(setting)));
  }

  /** The value of a setting as text. */
  public String text(Setting setting) {
    return values.get(setting);
  }

  /** The value of a text setting; empty if it is not set. */
  public Optional<String> optional(Setting setting) {
    return Optional.of(text(setting)).filter(value -> !value.isBlank());
  }

  /** The values of a text setting, separated by commas. */
  public List<String> list(Setting setting) {
    return split(text(setting));
  }

  /** The value of a port setting. */
  public int port(Setting setting) {
    return Integer.parseInt(text(setting));
  }

  /** The value of a setting in seconds. */
  public Duration seconds(Setting setting) {
    return seconds(values, setting);
  }

  /** Names of the kube-schedulers that ask Muster. */
  public Set<String> schedulers() {
    return texts(Setting.SCHEDULERS);
  }

  /** The scheduler that pods get which name none or the cluster's; empty: they keep theirs. */
  public Optional<String> assignedScheduler() {
    return optional(Setting.ASSIGN_SCHEDULER);
  }

  /** Names of the schedulers whose pods Muster is asked about while they are made. */
  public Set<String> admittedSchedulers() {
    var admitted = new HashSet<>(schedulers());
    assignedScheduler().ifPresent(_ -> admitted.add(PodAdmission.DEFAULT_SCHEDULER));
    return Set.copyOf(admitted);
  }

  /** How namespaces are enrolled that do not say. */
  public Enrolment defaultEnrolment() {
    return Enrolment.ofValue(text(Setting.DEFAULT_ENROLMENT)).orElseThrow();
  }

  /** Whose pods the API server asks Muster about. */
  public Registration.Coverage coverage() {
    return new Registration.Coverage(
        text(Setting.NAMESPACE), admittedSchedulers(), rules().placement(), defaultEnrolment());
  }

  /** Where the cluster is read. */
  public ClusterFeed.Place place() {
    return new ClusterFeed.Place(text(Setting.NAMESPACE), defaultEnrolment());
  }

  /** The values of a setting that are separated by commas. */
  public Set<String> texts(Setting setting) {
    return Set.copyOf(list(setting));
  }

  static List<String> split(String value) {
    return Arrays.stream(value.split(","))
        .map(String::strip)
        .filter(one -> !one.isEmpty())
        .toList();
  }

  /** How gangs are placed. */
  public Rules rules() {
    return new Rules(
        PlacementMode.valueOf(text(Setting.PLACEMENT).toUpperCase(Locale.ROOT)),
        NodePinPolicy.valueOf(text(Setting.NODE_AFFINITY_AT_RELEASE).toUpperCase(Locale.ROOT)),
        new Waiting(
            seconds(Setting.BACKFILL_RESERVATION_AFTER),
            seconds(Setting.BACKFILL_RESERVATION_TIMEOUT),
            seconds(Setting.AGEING),
            seconds(Setting.PREEMPT_AFTER),
            seconds(Setting.PREEMPTION_GRACE),
            isOn(Setting.PREEMPTION)));
  }

  /** Who makes the workers of ElasticJobs that do not say. */
  public Mode dlroverMode() {
    return Mode.of(text(Setting.DLROVER_MODE)).orElseThrow();
  }

  /** By what policy jobs follow the room there is. */
  public Elasticity elasticity() {
    return switch (text(Setting.ELASTIC_POLICY)) {
      case "gang" -> new GangPolicy(headRoom());
      case "edl" ->
          ByTerms.sharingBy(new EdlPolicy(Integer.parseInt(text(Setting.ELASTIC_LOAD)) / 100.0));
      default -> ByTerms.withoutSharing();
    };
  }

  private GangPolicy.HeadRoom headRoom() {
    return switch (text(Setting.ELASTIC_HEADROOM)) {
      case "cpu" -> GangPolicy.HeadRoom.WITHOUT_DEVICES;
      case "all" -> GangPolicy.HeadRoom.ALL;
      default -> GangPolicy.HeadRoom.NONE;
    };
  }

  /** Whether a switch is on. */
  public boolean isOn(Setting setting) {
    return Boolean.parseBoolean(text(setting));
  }

  /** How it is known that nodes will go, and how much time there is. */
  public LeavingNodes.Settings reclaim() {
    return reclaim;
  }

  /** All deadlines, checked against each other. */
  public Deadlines deadlines() {
    return deadlines;
  }
}
