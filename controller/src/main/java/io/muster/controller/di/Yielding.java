package io.muster.controller.di;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.controller.core.elastic.Decision;
import io.muster.controller.core.elastic.ResizableJob;
import io.muster.controller.core.elastic.ResizableJob.Sharing;
import io.muster.controller.core.elastic.ResizableJob.Step;
import io.muster.controller.core.elastic.ResizableJob.Stride;
import io.muster.controller.core.elastic.ResizableJob.Terms;
import io.muster.controller.core.job.JobKey;
import io.muster.controller.di.api.DIJob;
import io.muster.controller.kube.Conditions;
import io.muster.controller.kube.EngineJob;
import io.muster.controller.kube.JobEvents;
import io.muster.controller.kube.Marks;
import io.muster.controller.kube.Ownership;
import io.muster.controller.kube.Remark;
import io.muster.controller.kube.RoomSharing;
import io.muster.controller.kube.WorkerPods;
import io.muster.controller.port.SizedJob;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Has jobs that may be preempted give collectors to gangs of higher priority, and elastic ones to
 * their equals too, and take them back once there is room. Confined to one thread at a time.
 */
final class Yielding {

  private static final String KIND = "di";
  private static final Duration INTERVAL = Duration.ofSeconds(30);

  /** Annotation: collectors go to equals too, and come back when there is room. */
  private static final String ELASTIC = "muster.io/elastic";

  /** A collector comes and goes without the others standing still. */
  private static final Terms SHARING =
      new Terms(Sharing.WITH_EQUALS, Duration.ZERO, Optional.empty(), List.of());

  private final KubernetesClient client;
  private final JobEvents events;
  private final RoomSharing sharing;
  private final InstantSource clock;

  Yielding(KubernetesClient client, JobEvents events, RoomSharing sharing, InstantSource clock) {
    this.client = client;
    this.events = events;
    this.sharing = sharing;
    this.clock = clock;
  }

  /** Asks for what is to be asked for now. */
  void advance(JobWatch watch) {
    var running =
        watch
            .jobs()
            .list(job -> !job.isMarkedForDeletion() && isRunning(job))
            .map(job -> new Sized(job, pods(job, watch)))
            .toList();
    sharing.advance(KIND, running, clock.instant());
  }

  void stop() {
    sharing.forget(KIND);
  }

  private static boolean isRunning(DIJob job) {
    return job.getSpec() != null
        && job.getSpec().tasks() != null
        && job.getStatus() != null
        && "Running".equals(job.getStatus().phase());
  }

  private static List<Pod> pods(DIJob job, JobWatch watch) {
    var uid = job.getMetadata().getUid();
    return watch.pods().getSecondaryResources(job).stream()
        .filter(pod -> Ownership.isOwned(pod, uid))
        .toList();
  }

  private final class Sized implements SizedJob {

    private final DIJob job;
    private final List<Pod> pods;
    private final TaskReading.Sized task;

    Sized(DIJob job, List<Pod> pods) {
      this.job = job;
      this.pods = pods;
      var sizes = TaskReading.sizes(job);
      this.task = sizes.get(TaskReading.elastic(TaskReading.tasks(job)));
    }

    @Override
    public JobKey key() {
      return EngineJob.key(job);
    }

    @Override
    public int wanted() {
      return task.wanted() - task.without().size();
    }

    @Override
    public Optional<ResizableJob> elastic() {
      boolean isElastic = "true".equals(Marks.annotations(job).get(ELASTIC));
      if (!isElastic && !Boolean.TRUE.equals(job.getSpec().preemptible())) {
        return Optional.empty();
      }
      var up = up();
      return Optional.of(
          new ResizableJob(
              "dijobs/" + job.getMetadata().getNamespace() + "/" + job.getMetadata().getName(),
              WorkerPods.priority(up),
              WorkerPods.of(up),
              task.least(),
              task.wanted(),
              Stride.ONE,
              INTERVAL,
              last(),
              true,
              up.size() == wanted(),
              0,
              isElastic ? SHARING : Terms.YIELDING));
    }

    private Optional<Step> last() {
      var at = Withheld.of(job).at();
      return at.isEmpty() ? Optional.empty() : Optional.of(new Step(Instant.parse(at), false));
    }

    private List<Pod> up() {
      return pods.stream()
          .filter(pod -> task.name().equals(Marks.labels(pod).get(Names.TASK_LABEL)))
          .filter(Members::isReady)
          .sorted(Comparator.comparing((Pod pod) -> pod.getMetadata().getCreationTimestamp()))
          .toList();
    }

    @Override
    public List<String> leaving() {
      return pods.stream()
          .filter(Pod::isMarkedForDeletion)
          .map(pod -> pod.getMetadata().getUid())
          .toList();
    }

    @Override
    public Set<String> growingGangs() {
      return Set.of();
    }

    @Override
    public void ask(Decision decision) {
      var numbers = new TreeSet<>(task.without());
      switch (decision) {
        case Decision.Grow _ -> numbers.pollFirst();
        case Decision.GiveBack giveBack -> {
          up().stream()
              .filter(pod -> giveBack.workers().contains(pod.getMetadata().getName()))
              .flatMapToInt(pod -> Members.index(pod).stream())
              .forEach(numbers::add);
          tell("JobPreempted", giveBack.why());
        }
      }
      var withheld = new Withheld(List.copyOf(numbers), Conditions.time(clock.instant()));
      client
          .resource(job)
          .patch(
              PatchContext.of(PatchType.JSON_MERGE),
              Serialization.asJson(
                  Map.of(
                      "metadata",
                      Map.of("annotations", Map.of(Withheld.KEY, withheld.written())))));
    }

    @Override
    public void tell(String reason, String sentence) {
      events.leave(job, new Remark(false, reason, sentence));
    }
  }
}
