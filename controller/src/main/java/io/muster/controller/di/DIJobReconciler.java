package io.muster.controller.di;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import io.muster.controller.api.Fault;
import io.muster.controller.core.engine.JobEngine;
import io.muster.controller.core.engine.JobState;
import io.muster.controller.core.engine.Observed;
import io.muster.controller.core.engine.Outcome;
import io.muster.controller.di.api.DIJob;
import io.muster.controller.di.api.DIJobSpec;
import io.muster.controller.di.api.Faults;
import io.muster.controller.kube.GangSight;
import io.muster.controller.kube.GivenBack;
import io.muster.controller.kube.JobEvents;
import io.muster.controller.kube.JobLooks;
import io.muster.controller.kube.JobMemory;
import io.muster.controller.kube.JobWrites;
import io.muster.controller.kube.Marks;
import io.muster.controller.kube.Ownership;
import io.muster.controller.kube.Turnstile;
import io.muster.controller.kube.Work;
import io.muster.controller.port.GangReports;
import io.muster.controller.port.JobMeter;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.GangKeys;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Looks at a DIJob with its pods, has the engine decide, stores what it decided, then has it done
 * step by step. One job is looked at by one thread at a time.
 */
final class DIJobReconciler implements Reconciler<DIJob> {

  private final Generation tasks;
  private final Generation coordinated;
  private final Writes writes;
  private final JobWrites common;
  private final GivenBack givenBack;
  private final JobEvents events;
  private final GangReports reports;
  private final InstantSource clock;
  private final JobLooks<DIJob, JobMemory> looks;
  private volatile Optional<JobWatch> watch = Optional.empty();

  DIJobReconciler(
      KubernetesClient client,
      Addresses addresses,
      JobEvents events,
      GangReports reports,
      InstantSource clock,
      JobMeter meter) {
    this.tasks = new TaskGeneration(addresses);
    this.coordinated = new CoordinatorGeneration(addresses, new Aggregators(client));
    this.writes = new Writes(client, events, clock);
    this.common = new JobWrites(client, clock);
    this.givenBack = new GivenBack(common);
    this.events = events;
    this.reports = reports;
    this.clock = clock;
    this.looks = new JobLooks<>(JobMemory::new, meter);
  }

  @Override
  public List<EventSource<?, DIJob>> prepareEventSources(EventSourceContext<DIJob> context) {
    var ofTasks = pods(tasks, context);
    watch = Optional.of(new JobWatch(context.getPrimaryCache(), ofTasks));
    return List.of(ofTasks, pods(coordinated, context));
  }

  /** What is seen of all jobs; empty before the first was looked at. */
  Optional<JobWatch> watch() {
    return watch;
  }

  private static InformerEventSource<Pod, DIJob> pods(
      Generation generation, EventSourceContext<DIJob> context) {
    var label = generation.jobLabel();
    return new InformerEventSource<>(
        InformerEventSourceConfiguration.from(Pod.class, DIJob.class)
            .withName("pods-by-" + label)
            .withLabelSelector(label)
            .withSecondaryToPrimaryMapper((Pod pod) -> JobLooks.jobOf(pod, label))
            .build(),
        context);
  }

  @Override
  public UpdateControl<DIJob> reconcile(DIJob cached, Context<DIJob> context) {
    return looks.look(cached, context, this::look);
  }

  private Work<DIJob> look(
      DIJob cached, Context<DIJob> context, JobMemory memory, Turnstile.Pass pass) {
    var job = memory.newest(cached, DIJob.class);
    if (job.getSpec() == null) {
      job.setSpec(DIJobSpec.NOTHING);
    }
    if (isAnothers(job)) {
      events.leaveOnce(job, Ownership.ANOTHERS, memory);
      return Work.none(job);
    }
    var generation = generation(job);
    var state = KnownState.of(job);
    var uid = job.getMetadata().getUid();
    var pods =
        context
            .getSecondaryResourcesAsStream(Pod.class)
            .filter(pod -> Ownership.isOwned(pod, uid))
            .toList();
    var members =
        memory.afterDeletions(
            pods.stream().flatMap(pod -> generation.member(job, state, pod).stream()).toList());
    var seen = Observed.of(members, memory.refusal());
    var wanted = generation.job(job, problems(job, state));
    var outcome = JobEngine.reconcile(wanted, state, List.of(), seen, clock.instant());
    var gang = sight(job, pods, generation.enough(job));
    var look =
        new Generation.Look(job, outcome.state(), pods, gang, outcome.news(), clock.instant());
    var stored = common.storeStatus(job, generation.status(look), memory);
    tell(generation, look, stored, memory);
    var site =
        new Writes.Site(
            stored,
            generation,
            generation.pods(stored, outcome.state()),
            memory,
            pod -> JobLooks.count(pod, context, "pods-by-" + generation.jobLabel()));
    writes.afterLosses(site, outcome.news());
    return new Work<>(
        stored,
        steps(site, outcome, pods),
        knowsMore ->
            JobLooks.next(
                outcome,
                knowsMore,
                outcome.state().phase().isEnd() ? Optional.empty() : gang.again()));
  }

  /** The first of the job's gangs that waits, else any. */
  private GangSight sight(DIJob job, List<Pod> pods, Map<String, Integer> enough) {
    var namespace = job.getMetadata().getNamespace();
    var sights =
        new TreeMap<>(enough)
            .entrySet().stream()
                .filter(gang -> gang.getValue() > 0)
                .map(gang ->
                    GangSight.of(
                        pods.stream().filter(pod -> isOf(gang.getKey(), pod)).toList(),
                        gang.getValue(),
                        reports.of(new GangId(Dialect.MUSTER, namespace, gang.getKey()))))
                .filter(GangSight::isThere)
                .toList();
    return sights.stream()
        .filter(sight -> !sight.isPlaced())
        .findFirst()
        .or(() -> sights.stream().findFirst())
        .orElse(GangSight.NONE);
  }

  private static boolean isOf(String gang, Pod pod) {
    return gang.equals(Marks.annotations(pod).get(GangKeys.NAME));
  }

  private Generation generation(DIJob job) {
    return job.getSpec().coordinator() != null ? coordinated : tasks;
  }

  private void tell(Generation generation, Generation.Look look, DIJob stored, JobMemory memory) {
    if (!stored.getStatus().phase().equals(look.earlierPhase())) {
      generation.entered(stored).ifPresent(remark -> events.leave(stored, remark));
    }
    if (!look.state().phase().isEnd()) {
      generation.remarks(look.job()).forEach(remark -> events.leaveOnce(stored, remark, memory));
    }
    for (var item : look.news()) {
      events.tell(stored, item, generation.remarks(item), memory);
    }
  }

  private List<Work.Step> steps(Writes.Site site, Outcome outcome, List<Pod> pods) {
    var steps = new ArrayList<Work.Step>();
    if (!outcome.state().phase().isEnd()) {
      steps.addAll(givenBack.steps(pods, site.generation().enough(site.job()), outcome.actions()));
    }
    outcome.actions().forEach(action -> steps.addAll(writes.steps(site, action)));
    if (outcome.state().phase().isEnd()) {
      steps.addAll(writes.clear(site, pods.stream().map(p -> p.getMetadata().getName()).toList()));
    }
    return steps;
  }

  /** Whether another controller has begun it. */
  private static boolean isAnothers(DIJob job) {
    var status = job.getStatus();
    return status != null && Ownership.isAnothers(job, status.phase(), status.state());
  }

  /** Why the job cannot be run: asked before anything is made for it. */
  private static List<String> problems(DIJob job, JobState state) {
    return state.phase() == JobState.Phase.NEW || state.targets().isEmpty()
        ? Faults.in(job).stream().map(Fault::toString).toList()
        : List.of();
  }
}
