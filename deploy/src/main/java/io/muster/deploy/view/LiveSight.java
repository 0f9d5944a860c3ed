package io.muster.deploy.view;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.muster.deploy.config.Config;
import io.muster.deploy.install.DefinitionInCluster;
import io.muster.deploy.install.InstallFiles;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.Replay;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.core.protocol.GangReport;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.extender.kube.gang.Gang;
import io.muster.extender.kube.gang.GangObjects;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** A cluster, with the rights of whoever asks; what they do not reach is left out. */
final class LiveSight implements Sight {

  /** Words for a job of whatever kind. */
  static final Set<String> ANY_JOB = Set.of("job", "jobs");

  /** Last condition or phase of jobs that have done their work. */
  private static final Set<String> SUCCESSES = Set.of("Complete", "Succeeded", "succeeded");

  private final KubernetesClient client;
  private final Config settings;
  private final PodConverter translation;
  private final LeaderLiveness leader;
  private final Map<String, List<Pod>> pods = new HashMap<>();
  private Optional<Replay> replay = Optional.empty();
  private Optional<String> blindness = Optional.empty();

  LiveSight(KubernetesClient client, Config settings) {
    this.client = client;
    this.settings = settings;
    this.leader = new LeaderLiveness(client, settings);
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
  public Set<GangId> stored(String namespace) {
    return client.resources(Gang.class).inNamespace(namespace).list().getItems().stream()
        .flatMap(object -> GangObjects.idOf(object).stream())
        .collect(Collectors.toSet());
  }

  @Override
  public Optional<GangReport> told(GangId gang) {
    return client.resources(Gang.class).inNamespace(gang.namespace()).list().getItems().stream()
        .filter(object -> GangObjects.idOf(object).equals(Optional.of(gang)))
        .flatMap(object -> Optional.ofNullable(object.getStatus()).stream())
        .findFirst()
        .filter(_ -> isLed())
        .flatMap(GangObjects::reportIn);
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
                    GangObjects.reportIn(object.getStatus()).stream()
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

  @Override
  public boolean isLed() {
    return leader.isLed();
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
  public Optional<SeenJob> job(String namespace, String kind, String name) {
    return kinds().stream()
        .filter(known -> isMeant(known, kind))
        .flatMap(known ->
            Optional.ofNullable(
                client
                    .genericKubernetesResources(known)
                    .inNamespace(namespace)
                    .withName(name)
                    .get())
                .stream())
        .findFirst()
        .map(job ->
            new SeenJob(
                job.getKind(), job.getMetadata().getUid(), standing(job), hasSucceeded(job)));
  }

  private static boolean isMeant(ResourceDefinitionContext known, String kind) {
    return ANY_JOB.contains(kind)
        || kind.equalsIgnoreCase(known.getKind())
        || kind.equals(known.getPlural())
        || kind.equals(known.getPlural() + "." + known.getGroup())
        || kind.equalsIgnoreCase(known.getKind() + "." + known.getGroup());
  }

  /** The kinds of jobs, batch Jobs first. */
  static List<ResourceDefinitionContext> kinds() {
    var kinds = new ArrayList<ResourceDefinitionContext>();
    kinds.add(ResourceDefinitionContext.fromResourceType(Job.class));
    for (var definition : InstallFiles.definitions()) {
      var spec = definition.getSpec();
      if (spec.getNames().getKind().endsWith("Job")) {
        kinds.add(DefinitionInCluster.kind(definition, spec.getVersions().getLast().getName()));
      }
    }
    return kinds;
  }

  private static boolean hasSucceeded(GenericKubernetesResource job) {
    return lastCondition(job)
        .<Object>map(condition -> condition.get("type"))
        .or(() -> Optional.ofNullable(job.get("status", "phase")))
        .filter(SUCCESSES::contains)
        .isPresent();
  }

  /** The last of its conditions that holds. */
  private static Optional<Map<?, ?>> lastCondition(GenericKubernetesResource job) {
    return job.get("status", "conditions") instanceof List<?> conditions
        ? conditions.stream()
            .filter(Map.class::isInstance)
            .<Map<?, ?>>map(condition -> (Map<?, ?>) condition)
            .filter(condition -> "True".equals(condition.get("status")))
            .reduce((_, last) -> last)
        : Optional.empty();
  }

  private static String standing(GenericKubernetesResource job) {
    return lastCondition(job)
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
