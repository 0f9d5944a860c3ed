package io.muster.controller.etoperator;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.controller.core.elastic.Decision;
import io.muster.controller.core.elastic.ResizableJob;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.job.JobKey;
import io.muster.controller.core.job.ResizeRequest.Change;
import io.muster.controller.etoperator.api.TrainingJob;
import io.muster.controller.kube.EngineJob;
import io.muster.controller.kube.JobEvents;
import io.muster.controller.kube.Remark;
import io.muster.controller.kube.RoomSharing;
import io.muster.controller.port.SizedJob;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Has jobs with {@code scalePolicy: Auto} follow the room there is, by scalers like any user's.
 * Confined to one thread at a time.
 */
final class AutoScaling {

  static final String KIND = "etoperator";

  private final KubernetesClient client;
  private final Writes writes;
  private final JobEvents events;
  private final RoomSharing sharing;

  AutoScaling(KubernetesClient client, Writes writes, JobEvents events, RoomSharing sharing) {
    this.client = client;
    this.writes = writes;
    this.events = events;
    this.sharing = sharing;
  }

  /**
   * Asks for what is to be asked for now.
   *
   * @param running jobs, whoever changes their size
   */
  void advance(JobWatch watch, List<TrainingJob> running, Instant now) {
    sharing.advance(KIND, running.stream().flatMap(job -> read(job, watch).stream()).toList(), now);
  }

  /** Empty for one that cannot be read: its own look says so, and no other waits for it. */
  private Optional<Sized> read(TrainingJob job, JobWatch watch) {
    try {
      var size = JobSize.of(job, watch);
      return Optional.of(
          new Sized(size, size.isAuto() ? Optional.of(size.elastic()) : Optional.empty()));
    } catch (RuntimeException _) {
      return Optional.empty();
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
      return size.leaving().stream().map(pod -> pod.getMetadata().getUid()).toList();
    }

    @Override
    public Set<String> growingGangs() {
      return elastic.isPresent() ? size.growingGangs() : Set.of();
    }

    @Override
    public void ask(Decision decision) {
      var change =
          switch (decision) {
            case Decision.Grow grow -> new Change.Add(grow.count());
            case Decision.GiveBack giveBack -> new Change.RemoveNamed(giveBack.workers());
          };
      writes.ask(
          size.job(),
          new Action.Ask(size.nextName(), Names.WORKER, change, false, Optional.empty()));
      tell(decision instanceof Decision.Grow ? "AutoScaleOut" : "AutoScaleIn", decision.why());
      size.spent().forEach(this::delete);
    }

    @Override
    public void tell(String reason, String sentence) {
      events.leave(size.job(), new Remark(false, reason, sentence));
    }

    /** The last one says when the last step was; of those before it nobody needs to know. */
    private void delete(HasMetadata scaler) {
      client.resource(scaler).delete();
    }
  }
}
