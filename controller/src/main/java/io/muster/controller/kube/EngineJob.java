package io.muster.controller.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.muster.controller.core.job.Job;
import io.muster.controller.core.job.JobKey;
import io.muster.controller.core.job.Role;
import io.muster.controller.core.job.RunPolicy;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/** What jobs of all kinds have in common in the engine's words. */
public final class EngineJob {

  private EngineJob() {}

  /** What names it. */
  public static JobKey key(HasMetadata object) {
    var metadata = object.getMetadata();
    return new JobKey(metadata.getNamespace(), metadata.getName(), metadata.getUid());
  }

  /**
   * The job.
   *
   * @param problems why it cannot be run; nobody asks for its roles then
   */
  public static Job of(
      HasMetadata object, Supplier<List<Role>> roles, RunPolicy run, List<String> problems) {
    var metadata = object.getMetadata();
    return new Job(
        key(object),
        Objects.requireNonNullElse(metadata.getGeneration(), 0L),
        problems.isEmpty() ? roles.get() : List.of(),
        run,
        problems);
  }
}
