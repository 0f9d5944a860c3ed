package io.muster.controller.kinds.dlrover.job;

import io.muster.controller.core.state.JobState;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kube.Marks;
import java.util.Arrays;
import java.util.Optional;

/** Who makes the workers of a job. */
public enum Mode {
  /** DLRover's own master does. */
  UPSTREAM_MASTER("upstream-master"),
  /** Muster does; the master only has them meet. */
  BUILTIN("builtin");

  private final String word;

  Mode(String word) {
    this.word = word;
  }

  /** The mode that is called so; empty if none is. */
  public static Optional<Mode> of(String word) {
    return Arrays.stream(values()).filter(mode -> mode.word.equals(word)).findFirst();
  }

  /** What users call it. */
  public String word() {
    return word;
  }

  /** The job's own; one that has begun stays with what it has begun with. */
  public static Mode of(ElasticJob job, JobState state, Mode otherwise) {
    // A job that asks for no workers has none, but its size is known.
    if (state.targets().containsKey(ElasticJob.WORKER)
        || state.asked().containsKey(ElasticJob.WORKER)) {
      return BUILTIN;
    } else if (!state.targets().isEmpty()) {
      return UPSTREAM_MASTER;
    }
    return of(Marks.annotations(job).getOrDefault(DlroverNames.MODE, "")).orElse(otherwise);
  }
}
