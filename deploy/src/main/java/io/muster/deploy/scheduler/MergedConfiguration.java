package io.muster.deploy.scheduler;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.deploy.serve.upkeep.LeaderEndpoint;
import io.muster.extender.core.cluster.Accelerators;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;

/**
 * A configuration of kube-scheduler in which it asks Muster: one that exists with Muster's extender
 * added, or the one that is shipped. Pure.
 */
public sealed interface MergedConfiguration {

  /** The version of the configuration that Muster's extender is written for. */
  String VERSION = "kubescheduler.config.k8s.io/v1";

  /**
   * The name of the Service alone, with its namespace, or with {@code .svc} behind that; never a
   * host of a domain that is named like it.
   */
  Pattern OF_SERVICE =
      Pattern.compile(
          "https?://" + LeaderEndpoint.SERVICE + "(\\.[^.:/]+(\\.svc(\\.[^:/]*)?)?)?([:/]|$)");

  /** To be given to kube-scheduler. */
  record Merged(ObjectNode document, List<String> warnings) implements MergedConfiguration {
    public Merged {
      warnings = List.copyOf(warnings);
    }
  }

  /** It cannot be had; the sentence says why, and the way out. */
  record Refused(String sentence) implements MergedConfiguration {}

  /**
   * How kube-scheduler reaches Muster.
   *
   * @param url such as {@code https://10.96.3.4:9443/v1}
   * @param serverName in Muster's serving certificate
   * @param folder with ca.crt, tls.crt and tls.key, as kube-scheduler sees it
   * @param kubeconfig path of kube-scheduler's own; used where no configuration exists
   * @param timeoutSeconds after which kube-scheduler gives up a call
   * @param mostBackoffSeconds what Muster was told of kube-scheduler's podMaxBackoffSeconds
   */
  record Terms(
      String url,
      String serverName,
      String folder,
      String kubeconfig,
      long timeoutSeconds,
      long mostBackoffSeconds) {}

  /**
   * Adds Muster's extender; one that is there already is replaced, everything else stays.
   *
   * @param shipped the file of {@code deploy/scheduler} for the cluster's own kube-scheduler
   */
  static MergedConfiguration of(Optional<JsonNode> existing, ObjectNode shipped, Terms terms) {
    var extender = extender(shipped, terms);
    if (existing.isEmpty()) {
      var document = shipped.deepCopy();
      document.withObject("/clientConnection").put("kubeconfig", terms.kubeconfig());
      document.withArray("extenders").removeAll().add(extender);
      return new Merged(document, List.of());
    }
    if (!(existing.get() instanceof ObjectNode there)
        || !there.path("kind").asText().equals("KubeSchedulerConfiguration")) {
      return new Refused("kind is not KubeSchedulerConfiguration: give the file of --config");
    }
    if (!there.path("apiVersion").asText().equals(VERSION)) {
      return new Refused(
          "apiVersion is \"%s\": write the configuration as %s first"
              .formatted(there.path("apiVersion").asText(), VERSION));
    }
    var others = new ArrayList<JsonNode>();
    var warnings = new ArrayList<String>();
    for (var entry : there.path("extenders")) {
      var url = entry.path("urlPrefix").asText();
      if (!url.equals(terms.url()) && !isMusters(entry)) {
        others.add(entry);
      } else if (!url.equals(terms.url())) {
        warnings.add("extenders: the one at %s is Muster's, and is replaced".formatted(url));
      }
    }
    return others.stream()
        .filter(entry -> !entry.path("bindVerb").asText().isEmpty())
        .findFirst()
        .<MergedConfiguration>map(binder ->
            new Refused(
                ("extenders: the one at %s has bindVerb too, and kube-scheduler allows one such"
                        + " extender; run a second kube-scheduler for Muster, or Muster with"
                        + " placementMode affinity")
                    .formatted(binder.path("urlPrefix").asText())))
        .orElseGet(() -> merged(there.deepCopy(), others, extender, terms, warnings));
  }

  private static MergedConfiguration merged(
      ObjectNode document,
      List<JsonNode> others,
      ObjectNode extender,
      Terms terms,
      List<String> warnings) {
    document.putArray("extenders").addAll(others).add(extender);
    // Muster answers for all nodes or for none; a sample would hide the nodes it planned with.
    document.put("percentageOfNodesToScore", 100);
    for (var profile : document.path("profiles")) {
      if (profile instanceof ObjectNode found && found.has("percentageOfNodesToScore")) {
        found.put("percentageOfNodesToScore", 100);
      }
    }
    int backoff = document.path("podMaxBackoffSeconds").asInt();
    if (backoff > terms.mostBackoffSeconds()) {
      warnings.add(
          "podMaxBackoffSeconds is %d: set Muster's schedulerPodMaxBackoffSeconds to it"
              .formatted(backoff));
    }
    if (!document.path("leaderElection").path("leaderElect").asBoolean(true)) {
      warnings.add(
          "leaderElection.leaderElect is false: set it to true where more than one kube-scheduler"
              + " runs");
    }
    return new Merged(document, warnings);
  }

  private static ObjectNode extender(ObjectNode shipped, Terms terms) {
    var extender = (ObjectNode) shipped.path("extenders").path(0).deepCopy();
    extender.put("urlPrefix", terms.url()).put("httpTimeout", terms.timeoutSeconds() + "s");
    extender
        .withObject("/tlsConfig")
        .put("serverName", terms.serverName())
        .put("caFile", terms.folder() + "/ca.crt")
        .put("certFile", terms.folder() + "/tls.crt")
        .put("keyFile", terms.folder() + "/tls.key");
    return extender;
  }

  /** Whether an extender is Muster: by the Service it names, its certificate or its resources. */
  static boolean isMusters(JsonNode extender) {
    return OF_SERVICE.matcher(extender.path("urlPrefix").asText()).lookingAt()
        || extender
            .path("tlsConfig")
            .path("serverName")
            .asText()
            .startsWith(LeaderEndpoint.SERVICE + ".")
        || StreamSupport.stream(extender.path("managedResources").spliterator(), false)
            .anyMatch(entry -> entry.path("name").asText().equals(Accelerators.MARKER));
  }
}
