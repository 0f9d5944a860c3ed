package io.muster.deploy.view;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.muster.deploy.config.Config;
import io.muster.deploy.config.Setting;
import io.muster.deploy.install.InstallFiles;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.Replay;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.GangReport;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.extender.kube.gang.Gang;
import io.muster.extender.kube.gang.GangObjects;
import io.muster.extender.kube.gang.GangStatus;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** A cluster, with the rights of whoever asks; what they do not reach is left out. */
final class LiveSight implements Sight {

  private static final String LEASE = "muster";

  /** Clocks differ. */
  private static final Duration SKEW = Duration.ofSeconds(10);

  private final KubernetesClient client;
  private final Config settings;
  private final PodConverter translation;
  private final Map<String, List<Pod>> pods = new HashMap<>();
  private Optional<Replay> replay = Optional.empty();
  private Optional<String> blindness = Optional.empty();

  LiveSight(KubernetesClient client, Config settings) {
    this.client = client;
    this.settings = settings;
    this.translation = new PodConverter(new DialectDetector(), settings.schedulers());
  }

  @Override
  public List<Pod> pods(String namespace) {
    return pods.computeIfAbsent(
        namespace,
        name ->
            client.pods().inNamespace(name).list().getItems().stream()
                .map(translation::pod)
                .toList());
  }

  @Override
  public Optional<GangReport> told(GangId gang) {
    return client.resources(Gang.class).inNamespace(gang.namespace()).list().getItems().stream()
        .filter(object -> GangObjects.idOf(object).equals(Optional.of(gang)))
        .flatMap(object -> Optional.ofNullable(object.getStatus()).stream())
        .findFirst()
        .filter(_ -> isLed())
        .flatMap(LiveSight::report);
  }

  /** The gangs of a namespace, or of all, as their objects say; what these lack is left out. */
  List<WaitingLine.Row> gangs(Optional<String> namespace) {
    var all = client.resources(Gang.class);
    var objects =
        namespace.map(name -> all.inNamespace(name).list()).orElseGet(all.inAnyNamespace()::list);
    return objects.getItems().stream()
        .filter(object -> object.getStatus() != null)
        .flatMap(object ->
            GangObjects.idOf(object).stream()
                .flatMap(id ->
                    report(object.getStatus()).stream()
                        .map(report ->
                            new WaitingLine.Row(
                                id,
                                Optional.empty(),
                                Objects.requireNonNullElse(object.getSpec().minAvailable(), 0),
                                Optional.empty(),
                                Optional.ofNullable(object.getMetadata().getCreationTimestamp())
                                    .map(Instant::parse),
                                report))))
        .toList();
  }

  /** Empty for the words of another version. */
  private static Optional<GangReport> report(GangStatus status) {
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

  /** Whether somebody writes those objects; who may not see it takes them as they are. */
  boolean isLed() {
    try {
      return Optional.ofNullable(
              client.leases().inNamespace(settings.text(Setting.NAMESPACE)).withName(LEASE).get())
          .map(Lease::getSpec)
          .filter(spec -> spec.getRenewTime() != null && spec.getLeaseDurationSeconds() != null)
          .filter(spec ->
              spec.getRenewTime()
                  .toInstant()
                  .plusSeconds(spec.getLeaseDurationSeconds())
                  .plus(SKEW)
                  .isAfter(InstantSource.system().instant()))
          .isPresent();
    } catch (KubernetesClientException _) {
      return true;
    }
  }

  @Override
  public Optional<Replay> replay() {
    if (replay.isEmpty() && blindness.isEmpty()) {
      try {
        replay = Optional.of(new Replay(ClusterSight.ofCluster(settings)));
      } catch (ClusterSight.NoSightException e) {
        blindness = Optional.of(e.getMessage());
      } catch (InterruptedException _) {
        Thread.currentThread().interrupt();
        blindness = Optional.of("interrupted");
      }
    }
    return replay;
  }

  /** Why the whole cluster cannot be seen, once that has been tried. */
  Optional<String> blindness() {
    return blindness;
  }

  @Override
  public Optional<SeenJob> job(String namespace, String name) {
    return kinds().stream()
        .flatMap(kind ->
            Optional.ofNullable(
                client.genericKubernetesResources(kind).inNamespace(namespace).withName(name).get())
                .stream())
        .findFirst()
        .map(job -> new SeenJob(job.getKind(), job.getMetadata().getUid(), standing(job)));
  }

  private static List<ResourceDefinitionContext> kinds() {
    var kinds = new ArrayList<ResourceDefinitionContext>();
    kinds.add(kind("batch", "v1", "Job", "jobs"));
    for (var definition : InstallFiles.definitions()) {
      var spec = definition.getSpec();
      if (spec.getNames().getKind().endsWith("Job")) {
        kinds.add(
            kind(
                spec.getGroup(),
                spec.getVersions().getLast().getName(),
                spec.getNames().getKind(),
                spec.getNames().getPlural()));
      }
    }
    return kinds;
  }

  private static ResourceDefinitionContext kind(
      String group, String version, String kind, String plural) {
    return new ResourceDefinitionContext.Builder()
        .withGroup(group)
        .withVersion(version)
        .withKind(kind)
        .withPlural(plural)
        .withNamespaced(true)
        .build();
  }

  /** The last of its conditions that holds. */
  private static String standing(GenericKubernetesResource job) {
    if (!(job.get("status", "conditions") instanceof List<?> conditions)) {
      return "";
    }
    return conditions.stream()
        .filter(Map.class::isInstance)
        .map(condition -> (Map<?, ?>) condition)
        .filter(condition -> "True".equals(condition.get("status")))
        .reduce((_, last) -> last)
        .map(condition ->
            "%s: %s"
                .formatted(
                    condition.get("type"),
                    condition.get("message") == null
                        ? condition.get("reason")
                        : condition.get("message")))
        .orElse("");
  }
}
