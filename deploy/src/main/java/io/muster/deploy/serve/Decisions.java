package io.muster.deploy.serve;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.muster.controller.metrics.JobMeters;
import io.muster.controller.metrics.SizeMeters;
import io.muster.deploy.config.Config;
import io.muster.deploy.serve.lease.Clocks;
import io.muster.deploy.serve.lease.Leadership;
import io.muster.deploy.serve.lease.LeaseMeters;
import io.muster.extender.app.ExtenderService;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.core.protocol.Answer;
import io.muster.extender.core.protocol.Usage;
import io.muster.extender.core.shadow.ShadowCounts;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.extender.metrics.ExtenderMeters;
import io.muster.extender.port.Reply;
import io.muster.extender.port.SchedulerExtender;
import io.muster.webhook.metrics.WebhookMeters;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The deciding half of the program: the desk of the present term, and while the lease is not held
 * an error for every call of kube-scheduler. Safe for concurrent use.
 */
final class Decisions implements SchedulerExtender, AutoCloseable {

  private static final String NOT_LEADING =
      "muster: this process does not lead; the one that does answers";

  private final Config config;
  private final LeadershipTerm.Surroundings process;
  private final PrometheusMeterRegistry registry;
  private final WebhookMeters webhookMeters;
  private final Leadership leadership;
  private final AtomicReference<Optional<LeadershipTerm>> term =
      new AtomicReference<>(Optional.empty());

  private final Thread rehearsal = Thread.ofVirtual().unstarted(this::readOnce);

  private Decisions(
      Config config,
      LeadershipTerm.Surroundings process,
      PrometheusMeterRegistry registry,
      Leadership leadership) {
    this.config = config;
    this.process = process;
    this.registry = registry;
    this.webhookMeters = new WebhookMeters(registry);
    this.leadership = leadership;
  }

  static Decisions of(
      Config config,
      KubernetesClient client,
      PrometheusMeterRegistry registry,
      Clocks clocks,
      Leadership leadership) {
    var meters = new ExtenderMeters(registry);
    var process =
        new LeadershipTerm.Surroundings(
            client,
            new PodConverter(new DialectDetector(), config.schedulers()),
            meters,
            new JobKinds.Meters(new JobMeters(registry), new SizeMeters(registry)),
            clocks,
            leadership,
            leadership::goneBack);
    var decisions = new Decisions(config, process, registry, leadership);
    meters.watchDesk(
        () -> decisions.desk().map(ExtenderService::heldCalls).orElse(0),
        () -> decisions.desk().map(ExtenderService::queuedEvents).orElse(0));
    LeaseMeters.watch(registry, leadership::unrenewed);
    meters.watchGangs(phase -> decisions.desk().map(desk -> desk.gangsIn(phase)).orElse(0));
    meters.gangs().watch(() -> decisions.desk().map(ExtenderService::usage).orElse(Usage.NONE));
    return decisions;
  }

  /**
   * Stands for election; begins a term whenever it is won.
   *
   * @param preview of pods that jobs would make
   * @param whenRestored run when etcd was restored, which watches do not tell
   */
  void start(Preview preview, Runnable whenRestored) {
    leadership.start(
        () -> {
          rehearsal.interrupt();
          end(term.getAndSet(Optional.of(LeadershipTerm.begin(config, process, preview))));
        },
        () -> end(term.getAndSet(Optional.empty())),
        whenRestored);
  }

  /** Has this process, which follows another, do once what it will do when it leads. */
  void rehearse() {
    rehearsal.start();
  }

  private void readOnce() {
    try {
      LeadershipTerm.rehearse(config, process.client(), process.clocks().steady());
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private static void end(Optional<LeadershipTerm> past) {
    past.ifPresent(LeadershipTerm::close);
  }

  private Optional<ExtenderService> desk() {
    return term.get().map(LeadershipTerm::desk);
  }

  /** Empty also for a process that slept over the end of its lease and has not noticed yet. */
  private Optional<ExtenderService> leadingDesk() {
    return desk().filter(_ -> process.clocks().steady().instant().isBefore(leadership.heldUntil()));
  }

  /** Whether kube-scheduler is to call this process: it holds the lease and knows the cluster. */
  boolean leads() {
    return readyDesk().isPresent();
  }

  /** The term in which it does so; no other is equal to it. */
  Optional<?> leadingTerm() {
    return readyDesk();
  }

  private Optional<ExtenderService> readyDesk() {
    return leadingDesk().filter(ExtenderService::isReady);
  }

  /** Runs the job kinds from now on, where this process leads. */
  void runJobs() {
    term.get().ifPresent(LeadershipTerm::runJobs);
  }

  /** Whether the cluster has been read, or another process leads and has. */
  boolean isReady() {
    return readyDesk().isPresent() || leadership.anotherLeads();
  }

  /** What this process has not read yet though it leads; empty where it has, or another leads. */
  Optional<String> unread() {
    return term.get().flatMap(LeadershipTerm::unread);
  }

  /** Why what it decides cannot be trusted; empty where it can, or another leads. */
  Optional<String> failure() {
    return term.get().flatMap(LeadershipTerm::failure);
  }

  /** What the leader has counted in namespaces in shadow since it was last asked, by namespace. */
  Map<String, ShadowCounts> takeShadowCounts() {
    return readyDesk().map(ExtenderService::takeShadowCounts).orElse(Map.of());
  }

  PodConverter translation() {
    return process.translation();
  }

  ExtenderMeters meters() {
    return process.meters();
  }

  WebhookMeters webhookMeters() {
    return webhookMeters;
  }

  /** All meters, as Prometheus reads them. */
  String scrape() {
    return registry.scrape();
  }

  @Override
  public Reply<Answer> filter(Pod pod, List<String> offered) {
    return leadingDesk()
        .map(desk -> desk.filter(pod, offered))
        .orElseGet(() -> new Reply.Unavailable<>(NOT_LEADING));
  }

  @Override
  public Optional<Reply<Answer>> filterKnown(PodKey pod, List<String> offered) {
    return leadingDesk()
        .map(desk -> desk.filterKnown(pod, offered))
        .orElseGet(() -> Optional.of(new Reply.Unavailable<>(NOT_LEADING)));
  }

  @Override
  public Reply<Answer.Scores> prioritize(Pod pod, List<String> offered) {
    return leadingDesk()
        .map(desk -> desk.prioritize(pod, offered))
        .orElseGet(() -> new Reply.Unavailable<>(NOT_LEADING));
  }

  @Override
  public CompletableFuture<Optional<String>> bind(PodKey pod, String node) {
    return leadingDesk()
        .map(desk -> desk.bind(pod, node))
        .orElseGet(() -> CompletableFuture.completedFuture(Optional.of(NOT_LEADING)));
  }

  @Override
  public Set<String> preemptable(Pod pod, Map<String, Set<String>> victims) {
    return leadingDesk().map(desk -> desk.preemptable(pod, victims)).orElse(Set.of());
  }

  @Override
  public void close() {
    rehearsal.interrupt();
    leadership.close();
    end(term.getAndSet(Optional.empty()));
  }
}
