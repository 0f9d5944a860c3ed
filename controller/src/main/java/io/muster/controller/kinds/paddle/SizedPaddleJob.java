package io.muster.controller.kinds.paddle;

import io.muster.controller.core.elastic.Decision;
import io.muster.controller.framework.JobAccess;
import io.muster.controller.framework.SizedObject;
import io.muster.controller.kinds.paddle.api.PaddleJob;
import java.time.Instant;
import java.util.Set;

/** A running TrainingJob, whose number of trainers may follow the free capacity. */
final class SizedPaddleJob extends SizedObject<PaddleJob> {

  private final PaddleJobSize size;

  SizedPaddleJob(PaddleJob job, PaddleJobSize size, JobAccess access) {
    super(
        job,
        access,
        new Size(
            size.trainers().wanted(),
            size.elastic(access.clock().instant()),
            size.leaving(),
            Set.of()));
    this.size = size;
  }

  /**
   * Where trainers wait that find no capacity after all, or its user has said how many there are,
   * the job is as large as it is.
   */
  @Override
  public void settle(Instant now) {
    size.withoutThoseThatWait(now).or(() -> size.asItsUserHasIt(now)).ifPresent(this::keep);
  }

  @Override
  public void ask(Decision decision) {
    keep(size.after(decision, access().clock().instant()));
    // That it grows, and why, is said where its size is taken up.
    if (decision instanceof Decision.GiveBack) {
      tell("ScaleIn", decision.why());
    }
  }

  /** Keeps what was decided of its trainers on the job: the reconcile that follows acts on it. */
  private void keep(TrainerDecision decided) {
    access().writes().annotate(job(), TrainerDecision.KEY, decided.written());
  }
}
