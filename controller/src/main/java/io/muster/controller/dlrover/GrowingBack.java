package io.muster.controller.dlrover;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.controller.core.elastic.Decision;
import io.muster.controller.core.elastic.ResizableJob;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.engine.JobState;
import io.muster.controller.core.job.JobKey;
import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.dlrover.api.ElasticJob;
import io.muster.controller.kube.EngineJob;
import io.muster.controller.kube.JobEvents;
import io.muster.controller.kube.JobWrites;
import io.muster.controller.kube.Remark;
import io.muster.controller.kube.RoomSharing;
import io.muster.controller.port.SizedJob;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Has workers that are lost for good come back once there is room for them, by plans like any
 * user's. Confined to one thread at a time.
 */
final class GrowingBack {

  static final String KIND = "dlrover";

  private static final Set<JobState.Phase> RUNNING =
      Set.of(JobState.Phase.RUNNING, JobState.Phase.SCALING);

  private final KubernetesClient client;
  private final Writes writes;
  private final JobEvents events;
  private final RoomSharing sharing;

  GrowingBack(KubernetesClient client, Writes writes, JobEvents events, RoomSharing sharing) {
    this.client = client;
    this.writes = writes;
    this.events = events;
    this.sharing = sharing;
  }

  /** Asks for what is to be asked for now. */
  void advance(JobWatch watch, Instant now) {
    var running =
        watch
            .jobs()
            .list(job -> !job.isMarkedForDeletion() && !JobForm.isAnothers(job))
            .flatMap(job -> read(job, watch).stream())
            .toList();
    running.forEach(job -> forgetTries(job.size, now));
    sharing.advance(KIND, running, now);
  }

  /** Empty for one that does not run, or cannot be read: its own look says so. */
  private Optional<Sized> read(ElasticJob job, JobWatch watch) {
    try {
      var size = JobSize.of(job, watch);
      return RUNNING.contains(size.state().phase())
          ? Optional.of(
              new Sized(size, size.growsBack() ? Optional.of(size.elastic()) : Optional.empty()))
          : Optional.empty();
    } catch (RuntimeException _) {
      return Optional.empty();
    }
  }

  private void forgetTries(JobSize size, Instant now) {
    if (size.lost() == 0) {
      size.growBacks()
          .past(now)
          .forEach(plan -> JobWrites.ignoringAbsence(() -> client.resource(plan).delete()));
    }
  }

  private final class Sized implements SizedJob {

    private final JobSize size;
    private final Optional<ResizableJob> elastic;

    Sized(JobSize size, Optional<ResizableJob> elastic) {
      this.size = size;
      this.elastic = elastic;
    }

    @Override
    public JobKey key() {
      return EngineJob.key(size.job());
    }

    @Override
    public int wanted() {
      return size.wanted();
    }

    @Override
    public Optional<ResizableJob> elastic() {
      return elastic;
    }

    @Override
    public List<String> leaving() {
      return size.leaving();
    }

    @Override
    public Set<String> growingGangs() {
      return elastic.isPresent() ? size.growingGangs() : Set.of();
    }

    @Override
    public void ask(Decision decision) {
      switch (decision) {
        case Decision.Grow grow -> growBack(grow.count());
        // Nothing is asked of a job all of whose workers have to stay.
        case Decision.GiveBack _ -> {}
      }
    }

    @Override
    public void tell(String reason, String sentence) {
      events.leave(size.job(), new Remark(false, reason, sentence));
    }

    private void growBack(int count) {
      var name = size.growBacks().nextName();
      var change = new Change.AddLost(count);
      writes.ask(
          size.job(),
          size.size(),
          new Action.Ask(name, ElasticJob.WORKER, change, false, Optional.empty()));
      tell(
          "GrowsBack",
          "there is room for %d of %d lost workers: made again together by ScalePlan %s"
              .formatted(count, size.lost(), name));
    }
  }
}
