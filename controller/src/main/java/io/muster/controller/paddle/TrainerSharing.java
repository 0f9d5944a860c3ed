package io.muster.controller.paddle;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.controller.core.elastic.Decision;
import io.muster.controller.core.elastic.ResizableJob;
import io.muster.controller.core.job.JobKey;
import io.muster.controller.kube.EngineJob;
import io.muster.controller.kube.JobEvents;
import io.muster.controller.kube.Rejection;
import io.muster.controller.kube.Remark;
import io.muster.controller.kube.RoomSharing;
import io.muster.controller.paddle.api.PaddleJob;
import io.muster.controller.port.SizedJob;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has jobs whose number of trainers may change follow the room there is. Confined to one thread at
 * a time.
 */
final class TrainerSharing {

  private static final Logger LOG = LoggerFactory.getLogger(TrainerSharing.class);
  private static final String KIND = "paddle";

  private final Writes writes;
  private final JobEvents events;
  private final RoomSharing sharing;
  private final InstantSource clock;

  TrainerSharing(Writes writes, JobEvents events, RoomSharing sharing, InstantSource clock) {
    this.writes = writes;
    this.events = events;
    this.sharing = sharing;
    this.clock = clock;
  }

  /** Asks for what is to be asked for now. */
  void advance(JobWatch watch) {
    var running = new ArrayList<Sized>();
    watch.jobs().list(TrainerSharing::isRunning).forEach(job -> read(job, watch, running));
    running.forEach(this::takeBack);
    sharing.advance(KIND, running, clock.instant());
  }

  void stop() {
    sharing.forget(KIND);
  }

  private static boolean isRunning(PaddleJob job) {
    return !job.isMarkedForDeletion()
        && job.getStatus() != null
        && job.getStatus().remembered() != null
        && "RUNNING".equals(job.getStatus().remembered().phase());
  }

  /** Left out if it cannot be read: its own look says so, and no other waits for it. */
  private void read(PaddleJob job, JobWatch watch, List<Sized> running) {
    try {
      running.add(new Sized(job, JobSize.of(job, watch.podsOf(job))));
    } catch (RuntimeException e) {
      LOG.atDebug()
          .addKeyValue("job", job.getMetadata().getNamespace() + "/" + job.getMetadata().getName())
          .addKeyValue("message", e.getMessage())
          .log("a job was not counted among those that share the room");
    }
  }

  /** Where trainers wait that find no room after all, the job is as large as it is. */
  private void takeBack(Sized sized) {
    sized
        .size
        .withoutThoseThatWait(clock.instant())
        .ifPresent(decided -> {
          try {
            writes.keep(sized.job, decided);
          } catch (KubernetesClientException e) {
            LOG.atWarn()
                .addKeyValue("job", sized.size.key())
                .addKeyValue("message", Rejection.sentence(e))
                .log("a job could not be given another size; tried again");
          }
        });
  }

  private final class Sized implements SizedJob {

    private final PaddleJob job;
    private final JobSize size;

    Sized(PaddleJob job, JobSize size) {
      this.job = job;
      this.size = size;
    }

    @Override
    public JobKey key() {
      return EngineJob.key(job);
    }

    @Override
    public int wanted() {
      return size.trainers().wanted();
    }

    @Override
    public Optional<ResizableJob> elastic() {
      return size.elastic();
    }

    @Override
    public List<String> leaving() {
      return size.leaving();
    }

    /** Trainers that come are of the gang that has begun: nobody waits for them. */
    @Override
    public Set<String> growingGangs() {
      return Set.of();
    }

    @Override
    public void ask(Decision decision) {
      writes.keep(job, size.after(decision, clock.instant()));
      // That it grows, and why, is said where its size is taken up.
      if (decision instanceof Decision.GiveBack) {
        tell("ScaleIn", decision.why());
      }
    }

    @Override
    public void tell(String reason, String sentence) {
      events.leave(job, new Remark(false, reason, sentence));
    }
  }
}
