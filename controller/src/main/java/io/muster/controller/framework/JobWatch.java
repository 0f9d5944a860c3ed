package io.muster.controller.framework;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.IndexedResourceCache;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import io.muster.controller.framework.JobKind.PodLabel;
import io.muster.controller.framework.JobKind.Watched;
import io.muster.controller.kube.Marks;
import io.muster.controller.kube.Ownership;
import io.muster.controller.kube.node.LeavingNodes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What the watches of one kind show of all its jobs. Safe for concurrent use.
 *
 * @param <J> the kind
 */
public final class JobWatch<J extends HasMetadata> {

  private final IndexedResourceCache<J> jobs;
  private final Map<PodLabel, InformerEventSource<Pod, J>> pods = new LinkedHashMap<>();
  private final Map<Class<?>, InformerEventSource<?, J>> others = new LinkedHashMap<>();

  private JobWatch(IndexedResourceCache<J> jobs) {
    this.jobs = jobs;
  }

  static <J extends HasMetadata> JobWatch<J> of(
      Class<J> type,
      List<PodLabel> labels,
      List<Watched<?>> watched,
      EventSourceContext<J> context) {
    var watch = new JobWatch<J>(context.getPrimaryCache());
    labels.forEach(label ->
        watch.pods.put(
            label,
            new InformerEventSource<>(
                InformerEventSourceConfiguration.from(Pod.class, type)
                    .withName("pods-by-" + label.job())
                    .withLabelSelector(label.selector())
                    .withSecondaryToPrimaryMapper((Pod pod) -> jobOf(pod, label))
                    .build(),
                context)));
    watched.forEach(other -> watch.others.put(other.type(), source(other, type, context)));
    return watch;
  }

  private static <J extends HasMetadata, R extends HasMetadata> InformerEventSource<R, J> source(
      Watched<R> watched, Class<J> type, EventSourceContext<J> context) {
    return new InformerEventSource<>(
        InformerEventSourceConfiguration.from(watched.type(), type)
            .withSecondaryToPrimaryMapper(object -> ids(watched.job().apply(object), object))
            .build(),
        context);
  }

  /** The job that a pod names. */
  private static Set<ResourceID> jobOf(Pod pod, PodLabel label) {
    return ids(Optional.ofNullable(Marks.labels(pod).get(label.job())), pod);
  }

  private static Set<ResourceID> ids(Optional<String> job, HasMetadata object) {
    return job.map(name -> Set.of(new ResourceID(name, object.getMetadata().getNamespace())))
        .orElse(Set.of());
  }

  /**
   * All watches; with nodes, a job is reconciled too when it is known that one of its nodes goes.
   */
  List<EventSource<?, J>> sources(Optional<LeavingNodes> nodes) {
    var sources = new ArrayList<EventSource<?, J>>(pods.values());
    sources.addAll(others.values());
    nodes.ifPresent(leaving ->
        pods.forEach(
            (label, source) -> sources.add(leaving.source(source, pod -> jobOf(pod, label)))));
    return sources;
  }

  /** All jobs that are not being deleted. */
  public Stream<J> jobs() {
    return jobs.list(job -> !job.isMarkedForDeletion());
  }

  /** The job's own pods, each once, by however many labels it is watched. */
  public List<Pod> pods(J job) {
    var uid = job.getMetadata().getUid();
    var found = new LinkedHashMap<String, Pod>();
    pods.values().stream()
        .flatMap(source -> source.getSecondaryResources(job).stream())
        .filter(pod -> Ownership.isOwned(pod, uid))
        .forEach(pod -> found.putIfAbsent(pod.getMetadata().getUid(), pod));
    return List.copyOf(found.values());
  }

  /**
   * Objects that concern the job and are not being deleted. Those of an earlier job of its name are
   * not among them.
   */
  public <R extends HasMetadata> List<R> others(J job, Class<R> type) {
    return live(job, type)
        .filter(object -> !Ownership.isOfEarlier(job, object))
        .filter(object -> !Ownership.isLeftByEarlier(job, object))
        .toList();
  }

  /** Objects that an earlier job of its name had taken up, and that nobody will delete with it. */
  public <R extends HasMetadata> List<R> leftByEarlier(J job, Class<R> type) {
    return live(job, type).filter(object -> Ownership.isLeftByEarlier(job, object)).toList();
  }

  private <R extends HasMetadata> Stream<R> live(J job, Class<R> type) {
    return others.get(type).getSecondaryResources(job).stream()
        .map(type::cast)
        .filter(object -> !object.isMarkedForDeletion());
  }

  /** From now on the pod is seen, before the watch shows it. */
  void created(Pod pod) {
    pods.forEach((label, source) -> {
      if (Marks.labels(pod).containsKey(label.job())) {
        source.handleRecentResourceCreate(ResourceID.fromResource(pod), pod);
      }
    });
  }
}
