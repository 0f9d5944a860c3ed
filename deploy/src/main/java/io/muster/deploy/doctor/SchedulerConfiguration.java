package io.muster.deploy.doctor;

import com.fasterxml.jackson.databind.JsonNode;
import io.muster.deploy.config.Config;
import io.muster.deploy.config.Setting;
import io.muster.deploy.scheduler.MergedConfiguration;
import io.muster.deploy.serve.upkeep.LeaderEndpoint;
import io.muster.extender.core.cluster.Accelerators;
import io.muster.extender.core.gang.dialect.GoDuration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;

/**
 * Compares the configuration of one kube-scheduler with the contract that the files in {@code
 * deploy/scheduler} state. Pure: it reads the document and Muster's settings, and asks nobody.
 *
 * @param place where the document was found, as messages name it
 * @param addresses of Service muster-extender, as {@code host:port}; empty if it is not known
 */
record SchedulerConfiguration(
    String place, JsonNode document, Config settings, int nodes, List<String> addresses) {

  private static final String CHECK = "scheduler";
  private static final String SHIPPED =
      "take it from deploy/scheduler/shared-scheduler.yaml and restart kube-scheduler";
  private static final String DEFAULT_SCHEDULER = "default-scheduler";

  /** Of the extender's calls when nothing is said, in kube-scheduler. */
  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);

  private static final int DEFAULT_MOST_BACKOFF = 10;

  /** Below so many kube-scheduler looks at all nodes, whatever it is told. */
  private static final int ALWAYS_LOOKED_AT = 100;

  private static final Pattern IP_URL =
      Pattern.compile("https://(\\d+\\.\\d+\\.\\d+\\.\\d+:\\d+|\\[[^\\]]+]:\\d+)(/.*)?");

  private static final Map<String, String> VERBS =
      Map.of(
          "filterVerb", "filter",
          "prioritizeVerb", "prioritize",
          "preemptVerb", "preempt",
          "bindVerb", "bind");

  /** Everything that is wrong, or that nothing is. */
  List<Finding> findings() {
    if (!"KubeSchedulerConfiguration".equals(document.path("kind").asText())) {
      return List.of(
          Finding.problem(
              CHECK,
              place + " is no KubeSchedulerConfiguration",
              "give the file that kube-scheduler gets with --config"));
    }
    if (served().isEmpty()) {
      return List.of(
          Finding.ok(
              CHECK,
              "%s serves %s, which the setting schedulers does not name: none of Muster's business"
                  .formatted(place, String.join(", ", profiles()))));
    }
    var findings = new ArrayList<Finding>();
    if (!settings.rules().placement().isAsked()) {
      findings.add(Finding.ok(CHECK, "placementMode is not extender: nobody need ask Muster"));
      return findings;
    }
    extender()
        .ifPresentOrElse(
            extender -> {
              extender(extender, findings);
              address(extender).ifPresent(findings::add);
              managed(extender, findings);
              timeout(extender, findings);
            },
            () ->
                findings.add(
                    wrong(
                        "extender",
                        "serves pods of %s and asks no Muster about them"
                            .formatted(String.join(", ", served())),
                        "configure the extender as in deploy/scheduler/shared-scheduler.yaml, or"
                            + " leave this scheduler out of the setting schedulers")));
    backoff(findings);
    sampling(findings);
    return findings;
  }

  private List<String> profiles() {
    var names = new TreeSet<String>();
    for (var profile : document.path("profiles")) {
      names.add(profile.path("schedulerName").asText(DEFAULT_SCHEDULER));
    }
    return names.isEmpty() ? List.of(DEFAULT_SCHEDULER) : List.copyOf(names);
  }

  private List<String> served() {
    return profiles().stream().filter(settings.schedulers()::contains).toList();
  }

  /** The entry that knows the marker, else another of Muster's. */
  private Optional<JsonNode> extender() {
    var all = StreamSupport.stream(document.path("extenders").spliterator(), false).toList();
    return all.stream()
        .filter(entry -> named(entry, Accelerators.MARKER).isPresent())
        .findFirst()
        .or(() -> all.stream().filter(MergedConfiguration::isMusters).findFirst());
  }

  private static Optional<JsonNode> named(JsonNode extender, String resource) {
    return StreamSupport.stream(extender.path("managedResources").spliterator(), false)
        .filter(entry -> entry.path("name").asText().equals(resource))
        .findFirst();
  }

  private void extender(JsonNode extender, List<Finding> findings) {
    var wrong = new ArrayList<String>();
    VERBS.keySet().stream()
        .sorted()
        .filter(verb -> !extender.path(verb).asText().equals(VERBS.get(verb)))
        .forEach(verb -> wrong.add("%s must be %s".formatted(verb, VERBS.get(verb))));
    if (!extender.path("nodeCacheCapable").asBoolean()) {
      wrong.add("nodeCacheCapable must be true, or each call carries all nodes");
    }
    if (extender.path("ignorable").asBoolean()) {
      wrong.add("ignorable must be false, or gangs start in part while Muster does not answer");
    }
    if (extender.path("weight").asInt() < 1) {
      wrong.add("weight must be at least 1, or kube-scheduler does not start");
    }
    var url = extender.path("urlPrefix").asText();
    if (!url.startsWith("https:") || !extender.path("enableHTTPS").asBoolean()) {
      wrong.add("urlPrefix must begin with https and enableHTTPS be true: Muster serves TLS alone");
    }
    findings.add(
        wrong.isEmpty()
            ? right("extender", "asks Muster at " + url + " with all verbs")
            : wrong("extender", "asks Muster, but " + String.join("; ", wrong), SHIPPED));
  }

  /** A Service that is made anew has another IP; an address of its own may be right, too. */
  private Optional<Finding> address(JsonNode extender) {
    var url = IP_URL.matcher(extender.path("urlPrefix").asText());
    return url.matches() && !addresses.isEmpty() && !addresses.contains(url.group(1))
        ? Optional.of(
            Finding.cannotTell(
                CHECK + ".address",
                "%s asks Muster at %s, and Service %s has %s"
                    .formatted(
                        place, url.group(1), LeaderEndpoint.SERVICE, String.join(", ", addresses)),
                "set urlPrefix to the Service's address and restart kube-scheduler, unless that"
                    + " address leads there, too"))
        : Optional.empty();
  }

  private void managed(JsonNode extender, List<Finding> findings) {
    var check = "managed-resources";
    var entries = extender.path("managedResources");
    if (entries.isEmpty()) {
      findings.add(everyPod(check));
      return;
    }
    var missing =
        Accelerators.NAMES.stream()
            .filter(name -> named(extender, name).isEmpty())
            .sorted()
            .toList();
    var ignored =
        Accelerators.NAMES.stream()
            .filter(name ->
                named(extender, name)
                    .filter(entry -> entry.path("ignoredByScheduler").asBoolean())
                    .isPresent())
            .sorted()
            .toList();
    boolean isMarkerRight =
        named(extender, Accelerators.MARKER)
            .filter(entry -> entry.path("ignoredByScheduler").asBoolean() || isIgnoredInTree())
            .isPresent();
    if (!missing.isEmpty()) {
      findings.add(
          wrong(
              check,
              "does not ask Muster about pods that want %s".formatted(String.join(", ", missing)),
              "add them to managedResources and restart kube-scheduler"));
    }
    if (!ignored.isEmpty()) {
      findings.add(
          wrong(
              check,
              "does not count %s on the nodes".formatted(String.join(", ", ignored)),
              "take ignoredByScheduler away from them and restart kube-scheduler"));
    }
    if (!isMarkerRight) {
      findings.add(
          wrong(
              check,
              "members without devices never start, or start without their gang: %s is not among"
                      .formatted(Accelerators.MARKER)
                  + " the managedResources with ignoredByScheduler: true",
              SHIPPED));
    }
    if (missing.isEmpty() && ignored.isEmpty() && isMarkerRight) {
      findings.add(right(check, "all %d names are listed".formatted(entries.size())));
    }
  }

  /** A scheduler of its own for Muster's pods asks about all of them, and knows no marker. */
  private Finding everyPod(String check) {
    if (profiles().contains(DEFAULT_SCHEDULER)) {
      return wrong(
          check, "has no managedResources: it asks Muster about every single pod", SHIPPED);
    }
    return isIgnoredInTree()
        ? right(check, "asks Muster about every pod that names it")
        : wrong(
            check,
            "members without devices never start: NodeResourcesFit does not ignore "
                + Accelerators.MARKER,
            "take pluginConfig from deploy/scheduler/second-scheduler.yaml and restart it");
  }

  /** The other way to say it: in the arguments of NodeResourcesFit of every profile served. */
  private boolean isIgnoredInTree() {
    var profiles = servedProfiles();
    return !profiles.isEmpty() && profiles.stream().allMatch(SchedulerConfiguration::ignoresMarker);
  }

  private List<JsonNode> servedProfiles() {
    return StreamSupport.stream(document.path("profiles").spliterator(), false)
        .filter(profile ->
            settings.schedulers().contains(profile.path("schedulerName").asText(DEFAULT_SCHEDULER)))
        .toList();
  }

  private static boolean ignoresMarker(JsonNode profile) {
    for (var plugin : profile.path("pluginConfig")) {
      for (var ignored : plugin.path("args").path("ignoredResources")) {
        if (ignored.asText().equals(Accelerators.MARKER)) {
          return true;
        }
      }
    }
    return false;
  }

  private void timeout(JsonNode extender, List<Finding> findings) {
    var check = "http-timeout";
    var stated = extender.path("httpTimeout").asText();
    var told = settings.seconds(Setting.SCHEDULER_HTTP_TIMEOUT);
    var timeout = stated.isEmpty() ? Optional.of(DEFAULT_TIMEOUT) : GoDuration.parse(stated);
    if (timeout.isEmpty() || timeout.get().compareTo(told) < 0) {
      findings.add(
          wrong(
              check,
              "gives up a call after %s, and Muster takes up to %ds"
                  .formatted(
                      stated.isEmpty() ? DEFAULT_TIMEOUT.toSeconds() + "s, the default" : stated,
                      told.toSeconds()),
              "set httpTimeout to %ds, or Muster's schedulerHttpTimeoutSeconds, and with it permitTimeoutSeconds, to less"
                  .formatted(told.toSeconds())));
    } else {
      findings.add(
          right(
              check,
              "waits %s for an answer, and Muster answers within %ds"
                  .formatted(stated, told.toSeconds())));
    }
  }

  private void backoff(List<Finding> findings) {
    var check = "pod-max-backoff";
    int most = document.path("podMaxBackoffSeconds").asInt(DEFAULT_MOST_BACKOFF);
    int told = Math.toIntExact(settings.seconds(Setting.SCHEDULER_POD_MAX_BACKOFF).toSeconds());
    findings.add(
        most > told
            ? wrong(
                check,
                "lets pods rest up to %ds, and Muster was told %ds: members may never meet"
                    .formatted(most, told),
                "set Muster's schedulerPodMaxBackoffSeconds to %d".formatted(most))
            : right(check, "lets pods rest at most %ds, as Muster was told".formatted(most)));
  }

  private void sampling(List<Finding> findings) {
    var check = "node-sampling";
    int general = document.path("percentageOfNodesToScore").asInt();
    int percent =
        servedProfiles().stream()
            .mapToInt(profile -> profile.path("percentageOfNodesToScore").asInt(general))
            .min()
            .orElse(general);
    if (percent >= 100) {
      findings.add(right(check, "offers all nodes"));
    } else if (nodes <= ALWAYS_LOOKED_AT) {
      findings.add(
          right(
              check,
              "offers all of %d nodes; from %d on it would sample"
                  .formatted(nodes, ALWAYS_LOOKED_AT + 1)));
    } else {
      findings.add(
          wrong(
              check,
              "offers a sample of %d nodes, in which the planned ones are missing".formatted(nodes),
              "set percentageOfNodesToScore: 100 and restart kube-scheduler"));
    }
  }

  private Finding right(String part, String evidence) {
    return Finding.ok(CHECK + "." + part, place + " " + evidence);
  }

  private Finding wrong(String part, String evidence, String remedy) {
    return Finding.problem(CHECK + "." + part, place + " " + evidence, remedy);
  }
}
