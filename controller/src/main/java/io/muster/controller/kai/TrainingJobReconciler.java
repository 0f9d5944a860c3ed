package io.muster.controller.kai;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.javaoperatorsdk.operator.api.config.informer.InformerEventSourceConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.inbound.SimpleInboundEventSource;
import io.javaoperatorsdk.operator.processing.event.source.informer.InformerEventSource;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.engine.JobEngine;
import io.muster.controller.core.engine.JobState;
import io.muster.controller.core.engine.Member;
import io.muster.controller.core.engine.News;
import io.muster.controller.core.engine.Observed;
import io.muster.controller.core.engine.Outcome;
import io.muster.controller.core.engine.Resize;
import io.muster.controller.kai.JobWords.Remark;
import io.muster.controller.kai.api.Fault;
import io.muster.controller.kai.api.Faults;
import io.muster.controller.kai.api.ScaleIn;
import io.muster.controller.kai.api.ScaleOut;
import io.muster.controller.kai.api.Selector;
import io.muster.controller.kai.api.TrainingJob;
import io.muster.controller.kube.LeavingNodes;
import io.muster.controller.port.JobMeter;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at a TrainingJob with its pods and scalers, has the engine decide, stores what it decided,
 * then does it. One job is looked at by one thread at a time.
 */
final class TrainingJobReconciler implements Reconciler<TrainingJob> {

  /** A job whose launcher cannot be reached is tried again this often. */
  private static final Duration TRIED_APART = Duration.ofSeconds(2);

  private static final Remark ANOTHERS =
      new Remark(
          true,
          "ForeignController",
          "another controller has begun this job: it is left alone; to have Muster take it over,"
              + " stop that controller and set the annotation %s: \"true\"".formatted(Names.ADOPT));

  private static final Duration SOON = Duration.ofMillis(50);

  private static final Logger LOG = LoggerFactory.getLogger(TrainingJobReconciler.class);

  private final KubernetesClient client;
  private final Writes writes;
  private final LeavingNodes nodes;
  private final InstantSource clock;
  private final JobMeter meter;
  private final Map<String, JobMemory> memories = new ConcurrentHashMap<>();

  TrainingJobReconciler(
      KubernetesClient client,
      Writes writes,
      LeavingNodes nodes,
      InstantSource clock,
      JobMeter meter) {
    this.client = client;
    this.writes = writes;
    this.nodes = nodes;
    this.clock = clock;
    this.meter = meter;
  }

  @Override
  public List<EventSource<?, TrainingJob>> prepareEventSources(
      EventSourceContext<TrainingJob> context) {
    var pods =
        InformerEventSourceConfiguration.from(Pod.class, TrainingJob.class)
            .withLabelSelector(Names.GROUP_LABEL + "=" + TrainingJob.GROUP)
            .withSecondaryToPrimaryMapper(TrainingJobReconciler::jobOf)
            .build();
    var ins =
        InformerEventSourceConfiguration.from(ScaleIn.class, TrainingJob.class)
            .withSecondaryToPrimaryMapper(scaler -> jobOf(scaler, scaler.getSpec().selector()))
            .build();
    var outs =
        InformerEventSourceConfiguration.from(ScaleOut.class, TrainingJob.class)
            .withSecondaryToPrimaryMapper(scaler -> jobOf(scaler, scaler.getSpec().selector()))
            .build();
    var podSource = new InformerEventSource<>(pods, context);
    return List.of(
        podSource,
        new InformerEventSource<>(ins, context),
        new InformerEventSource<>(outs, context),
        leavingNodes(podSource));
  }

  /** Jobs with pods on a node are looked at again when it is known that it goes, or stays. */
  private EventSource<?, TrainingJob> leavingNodes(InformerEventSource<Pod, TrainingJob> pods) {
    var source = new SimpleInboundEventSource<TrainingJob>("nodes");
    nodes.onChange(node -> {
      // Before that no job has been looked at, so none missed it.
      if (source.isRunning()) {
        pods.list(pod -> node.equals(pod.getSpec().getNodeName()))
            .flatMap(pod -> jobOf(pod).stream())
            .distinct()
            .forEach(source::propagateEvent);
      }
    });
    return source;
  }

  private static Set<ResourceID> jobOf(Pod pod) {
    var labels =
        Objects.requireNonNullElse(pod.getMetadata().getLabels(), Map.<String, String>of());
    var job = labels.get(Names.JOB_LABEL);
    return job == null ? Set.of() : Set.of(new ResourceID(job, pod.getMetadata().getNamespace()));
  }

  private static Set<ResourceID> jobOf(HasMetadata scaler, Selector selector) {
    return selector == null || selector.name() == null
        ? Set.of()
        : Set.of(new ResourceID(selector.name(), scaler.getMetadata().getNamespace()));
  }

  @Override
  public UpdateControl<TrainingJob> reconcile(TrainingJob cached, Context<TrainingJob> context) {
    var uid = cached.getMetadata().getUid();
    if (cached.isMarkedForDeletion()) {
      memories.remove(uid);
      return UpdateControl.noUpdate();
    }
    var memory = memory(uid, context);
    if (memory.isClosed()) {
      return UpdateControl.noUpdate();
    }
    long begun = System.nanoTime();
    var outcome = JobMeter.Outcome.AGAIN;
    try {
      var next = look(cached, context, memory);
      memory.succeeded();
      outcome = JobMeter.Outcome.DONE;
      return next;
    } catch (KubernetesClientException e) {
      return afterRejection(cached, memory, e);
    } finally {
      meter.reconciled(outcome, Duration.ofNanos(System.nanoTime() - begun));
    }
  }

  private JobMemory memory(String uid, Context<TrainingJob> context) {
    if (!memories.containsKey(uid)) {
      forgetDeleted(context);
    }
    return memories.computeIfAbsent(uid, _ -> new JobMemory());
  }

  private static UpdateControl<TrainingJob> afterRejection(
      TrainingJob job, JobMemory memory, KubernetesClientException e) {
    var again = UpdateControl.<TrainingJob>noUpdate();
    return switch (Rejection.of(e)) {
      // Somebody else has written, or the cache is behind: what it shows next tells more.
      case CONFLICT -> again.rescheduleAfter(SOON);
      // As a rule the job itself; then nobody looks at it again.
      case ABSENT -> again.rescheduleAfter(memory.failed());
      case NAMESPACE_ENDS -> {
        memory.close();
        LOG.atInfo()
            .addKeyValue("job", name(job))
            .log("the namespace is being deleted; nothing more is written for the job");
        yield again;
      }
      case REFUSED, UNAVAILABLE -> {
        LOG.atWarn()
            .addKeyValue("job", name(job))
            .addKeyValue("message", Rejection.sentence(e))
            .log("a write for a job was refused; tried again");
        yield again.rescheduleAfter(memory.failed());
      }
    };
  }

  private static String name(TrainingJob job) {
    return job.getMetadata().getNamespace() + "/" + job.getMetadata().getName();
  }

  private UpdateControl<TrainingJob> look(
      TrainingJob cached, Context<TrainingJob> context, JobMemory memory) {
    var uid = cached.getMetadata().getUid();
    var job = memory.newest(cached, TrainingJob.class);
    if (JobForm.isAnothers(job)) {
      if (memory.isNew(ANOTHERS)) {
        writes.remark(job, ANOTHERS);
      }
      return UpdateControl.noUpdate();
    }
    var pods = context.getSecondaryResourcesAsStream(Pod.class).toList();
    var scalers = new Scalers(context, memory);
    var state = JobForm.state(job);
    var problems = problems(job, state);
    var members =
        memory.afterDeletions(pods.stream().flatMap(pod -> Members.of(pod, uid).stream()).toList());
    var launcher =
        pods.stream()
            .filter(pod -> Names.isOwned(pod, uid))
            .filter(pod ->
                pod.getMetadata().getName().equals(Names.launcher(job.getMetadata().getName())))
            .findFirst();
    var outcome =
        JobEngine.reconcile(
            JobReading.job(job, problems),
            state,
            scalers.resizes(),
            observed(members, launcher, memory, leaving(pods)),
            clock.instant());
    // Before the status says so: whoever is cut off in between comes here again.
    var stored =
        store(hasWaited(outcome) ? writes.markTimedOut(job) : job, outcome, members, memory);
    scalers.store(stored, outcome, members);
    for (var item : outcome.news()) {
      for (var remark : JobWords.remarks(stored, item)) {
        if (memory.isNew(remark)) {
          writes.remark(stored, remark);
        }
      }
    }
    var site = new Writes.Site(stored, memory, launcher, pod -> count(pod, context));
    return next(outcome, act(site, outcome, scalers));
  }

  private static boolean hasWaited(Outcome outcome) {
    return outcome.news().stream()
        .anyMatch(item ->
            item instanceof News.Failed(News.Failed.Cause cause, String _)
                && cause == News.Failed.Cause.WAITED);
  }

  /** From now on the pod is seen, before the watch shows it. */
  private static void count(Pod pod, Context<TrainingJob> context) {
    var watch =
        (InformerEventSource<Pod, TrainingJob>)
            context.eventSourceRetriever().getEventSourceFor(Pod.class);
    watch.handleRecentResourceCreate(ResourceID.fromResource(pod), pod);
  }

  /** Nobody says when a job is gone for good: those that are are forgotten when one comes. */
  private void forgetDeleted(Context<TrainingJob> context) {
    var there =
        context
            .getPrimaryCache()
            .list()
            .map(job -> job.getMetadata().getUid())
            .collect(Collectors.toSet());
    memories.keySet().retainAll(there);
  }

  /**
   * Why the job cannot be run: asked before anything is made for it. Those that run already, under
   * rules of earlier days, are served to their end.
   */
  private List<String> problems(TrainingJob job, JobState state) {
    boolean isServed = state.phase() != JobState.Phase.NEW && !state.targets().isEmpty();
    if (isServed) {
      return List.of();
    }
    var problems =
        new ArrayList<>(
            Faults.in(job).stream().filter(Fault::isFatal).map(Fault::toString).toList());
    if (problems.isEmpty() && state.phase() == JobState.Phase.NEW) {
      problems.addAll(writes.missingKeys(job));
    }
    return problems;
  }

  private Map<String, Instant> leaving(List<Pod> pods) {
    var leaving = new HashMap<String, Instant>();
    for (var pod : pods) {
      nodes.deadline(pod).ifPresent(by -> leaving.put(pod.getMetadata().getName(), by));
    }
    return leaving;
  }

  private static Observed observed(
      List<Member> members,
      Optional<Pod> launcher,
      JobMemory memory,
      Map<String, Instant> leaving) {
    return new Observed(
        members,
        memory.told(launcher.map(pod -> pod.getMetadata().getUid())),
        memory.attached(),
        memory.probedAt(),
        memory.scripts(),
        memory.refusal(),
        leaving);
  }

  private boolean act(Writes.Site site, Outcome outcome, Scalers scalers) {
    boolean knowsMore = false;
    for (var action : outcome.actions()) {
      if (action instanceof Action.Script(String id, List<String> names)) {
        writes.script(site.job(), scalers.resize(id), names, site.memory());
        knowsMore = true;
      } else {
        knowsMore |= writes.carryOut(action, site);
      }
    }
    return knowsMore;
  }

  private static UpdateControl<TrainingJob> next(Outcome outcome, boolean knowsMore) {
    var control = UpdateControl.<TrainingJob>noUpdate();
    if (knowsMore) {
      return control.rescheduleAfter(Duration.ZERO);
    }
    boolean isTelling = outcome.actions().stream().anyMatch(Action.Tell.class::isInstance);
    var wait = outcome.again().or(() -> isTelling ? Optional.of(TRIED_APART) : Optional.empty());
    return wait.map(after ->
            control.rescheduleAfter(
                isTelling && after.compareTo(TRIED_APART) > 0 ? TRIED_APART : after))
        .orElse(control);
  }

  private TrainingJob store(
      TrainingJob job, Outcome outcome, List<Member> members, JobMemory memory) {
    var status = JobForm.status(job, outcome.state(), members, outcome.news(), clock.instant());
    if (status.equals(job.getStatus())) {
      return job;
    }
    var changed = client.getKubernetesSerialization().clone(job);
    changed.setStatus(status);
    var stored = client.resource(changed).updateStatus();
    memory.wrote(stored);
    return stored;
  }

  /** The scalers of one job, as they were when it was looked at. */
  private final class Scalers {

    private final JobMemory memory;
    private final Map<String, ScaleIn> ins = new HashMap<>();
    private final Map<String, ScaleOut> outs = new HashMap<>();
    private final List<Resize> resizes = new ArrayList<>();

    Scalers(Context<TrainingJob> context, JobMemory memory) {
      this.memory = memory;
      context
          .getSecondaryResourcesAsStream(ScaleIn.class)
          .filter(scaler -> !scaler.isMarkedForDeletion())
          .map(scaler -> memory.newest(scaler, ScaleIn.class))
          .forEach(scaler -> {
            var resize = ScalerForm.resize(scaler);
            resizes.add(resize);
            ins.put(resize.request().id(), scaler);
          });
      context
          .getSecondaryResourcesAsStream(ScaleOut.class)
          .filter(scaler -> !scaler.isMarkedForDeletion())
          .map(scaler -> memory.newest(scaler, ScaleOut.class))
          .forEach(scaler -> {
            var resize = ScalerForm.resize(scaler);
            resizes.add(resize);
            outs.put(resize.request().id(), scaler);
          });
    }

    List<Resize> resizes() {
      return List.copyOf(resizes);
    }

    Resize resize(String id) {
      return resizes.stream()
          .filter(resize -> resize.request().id().equals(id))
          .findFirst()
          .orElseThrow();
    }

    void store(TrainingJob job, Outcome outcome, List<Member> members) {
      outcome.resizes().forEach(resize -> store(job, resize, outcome.news(), members));
    }

    private void store(TrainingJob job, Resize resize, List<News> news, List<Member> members) {
      var full = job.getMetadata().getNamespace() + "/" + job.getMetadata().getName();
      var id = resize.request().id();
      if (ins.containsKey(id)) {
        var changed = owned(ins.get(id), job);
        changed.setStatus(ScalerForm.status(changed, full, resize, news, clock.instant()));
        memory.wrote(client.resource(changed).updateStatus());
      } else {
        var changed = owned(outs.get(id), job);
        int up =
            (int)
                members.stream()
                    .filter(member -> resize.plan().contains(member.name()) && member.isUp())
                    .count();
        changed.setStatus(ScalerForm.status(changed, full, resize, news, up, clock.instant()));
        memory.wrote(client.resource(changed).updateStatus());
      }
    }

    /** A copy that goes with the job; whoever else owns it stays. */
    private <T extends HasMetadata> T owned(T scaler, TrainingJob job) {
      var owners = new ArrayList<>(scaler.getMetadata().getOwnerReferences());
      if (owners.stream().anyMatch(owner -> owner.getUid().equals(job.getMetadata().getUid()))) {
        return client.getKubernetesSerialization().clone(scaler);
      }
      var own = Names.owner(job);
      own.setController(
          owners.stream().noneMatch(owner -> Boolean.TRUE.equals(owner.getController())));
      owners.add(own);
      var patch = Map.of("metadata", Map.of("ownerReferences", owners));
      return client
          .resource(scaler)
          .patch(
              PatchContext.of(PatchType.JSON_MERGE),
              client.getKubernetesSerialization().asJson(patch));
    }
  }
}
