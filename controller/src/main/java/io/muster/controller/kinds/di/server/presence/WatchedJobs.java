package io.muster.controller.kinds.di.server.presence;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodIP;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Informable;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.coordinator.CoordinatorNames;
import io.muster.controller.kinds.di.job.DiNames;
import io.muster.controller.kinds.di.server.call.Access;
import io.muster.controller.kinds.di.server.call.Caller;
import io.muster.controller.kinds.di.server.call.DiView;
import io.muster.controller.kinds.di.server.worker.Waits;
import io.muster.controller.kube.Marks;
import io.muster.controller.kube.Ownership;
import io.muster.controller.kube.pod.PodEnds;
import io.muster.extender.kube.OnChange;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * DIJobs, their pods and those of di-system, watched by every process for itself: so that any of
 * them can answer. Safe for concurrent use.
 */
public final class WatchedJobs implements DiView, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(WatchedJobs.class);
  private static final long NO_RESYNC = 0;
  private static final String BY_JOB = "job";
  private static final String BY_ADDRESS = "address";

  private final SharedIndexInformer<DIJob> jobs;
  private final SharedIndexInformer<Pod> workers;
  private final SharedIndexInformer<Pod> members;
  private final SharedIndexInformer<Pod> system;

  /**
   * Begins nothing yet.
   *
   * @param changed takes the key of each job that is not as it was, or whose pods are not
   */
  public WatchedJobs(KubernetesClient client, Consumer<String> changed) {
    jobs = informer(client.resources(DIJob.class).inAnyNamespace());
    Consumer<DIJob> told = job -> changed.accept(Waits.key(job));
    jobs.addEventHandler(new OnChange<>(told, told));
    workers = pods(client, CoordinatorNames.JOB_LABEL, changed);
    members = pods(client, DiNames.JOB_LABEL, changed);
    system = informer(client.pods().inNamespace(Caller.SYSTEM));
    system.addIndexers(Map.of(BY_ADDRESS, WatchedJobs::addresses));
  }

  private static SharedIndexInformer<Pod> pods(
      KubernetesClient client, String label, Consumer<String> changed) {
    var informer = informer(client.pods().inAnyNamespace().withLabel(label));
    informer.addIndexers(
        Map.of(BY_JOB, pod -> List.of(job(pod, label)), BY_ADDRESS, WatchedJobs::addresses));
    Consumer<Pod> told = pod -> changed.accept(job(pod, label));
    informer.addEventHandler(new OnChange<>(told, told));
    return informer;
  }

  /** A watch that is opened again whatever ends it. */
  static <T> SharedIndexInformer<T> informer(Informable<T> resources) {
    var informer = resources.runnableInformer(NO_RESYNC);
    informer.exceptionHandler((_, problem) -> {
      LOG.atWarn()
          .addKeyValue("message", problem.getMessage())
          .log("a watch of the server for DIJobs failed and is opened again");
      return true;
    });
    return informer;
  }

  /** Begins to list and to watch; the future ends once all has been read. */
  public CompletableFuture<Void> start() {
    return CompletableFuture.allOf(
        Stream.of(jobs, workers, members, system)
            .map(informer -> informer.start().toCompletableFuture())
            .toArray(CompletableFuture[]::new));
  }

  private static String job(Pod pod, String label) {
    return Waits.key(pod.getMetadata().getNamespace(), Marks.labels(pod).getOrDefault(label, ""));
  }

  /** None of a pod that has ended: its address may be another's by now. */
  private static List<String> addresses(Pod pod) {
    if (pod.getStatus() == null || PodEnds.hasEnded(pod)) {
      return List.of();
    }
    var several =
        Objects.requireNonNullElse(pod.getStatus().getPodIPs(), List.<PodIP>of()).stream()
            .map(PodIP::getIp);
    return Stream.concat(Stream.ofNullable(pod.getStatus().getPodIP()), several)
        .filter(address -> address != null && !address.isEmpty())
        .map(Access::canonical)
        .distinct()
        .toList();
  }

  @Override
  public Optional<DIJob> job(String namespace, String name) {
    return Optional.ofNullable(jobs.getIndexer().getByKey(Waits.key(namespace, name)));
  }

  @Override
  public List<DIJob> jobs() {
    return jobs.getIndexer().list();
  }

  @Override
  public List<Pod> pods(DIJob job) {
    return Stream.of(workers, members)
        .flatMap(informer -> informer.getIndexer().byIndex(BY_JOB, Waits.key(job)).stream())
        .filter(pod -> Ownership.isOwned(pod, job.getMetadata().getUid()))
        .toList();
  }

  @Override
  public Optional<Pod> pod(String namespace, String name) {
    var key = Waits.key(namespace, name);
    return Stream.of(workers, members)
        .flatMap(informer -> Stream.ofNullable(informer.getIndexer().getByKey(key)))
        .findFirst();
  }

  @Override
  public List<Pod> at(String address) {
    return Stream.of(workers, members, system)
        .flatMap(informer -> informer.getIndexer().byIndex(BY_ADDRESS, address).stream())
        .collect(Collectors.toMap(pod -> pod.getMetadata().getUid(), pod -> pod, (one, _) -> one))
        .values()
        .stream()
        .toList();
  }

  @Override
  public void close() {
    Stream.of(jobs, workers, members, system).forEach(SharedIndexInformer::stop);
  }
}
