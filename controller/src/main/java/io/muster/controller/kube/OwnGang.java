package io.muster.controller.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.regex.Pattern;

/**
 * What Muster calls the gang of a job: as the job is called. Where another job had that gang when
 * the first member was to be made, its kind stands behind the name, and that is kept on the job.
 */
public final class OwnGang {

  /** Annotation of a job: what its gang is called, if not as the job. */
  public static final String KEPT = "muster.io/own-gang";

  private static final Pattern SUFFIX = Pattern.compile("\\.[a-z]{1,63}");

  private OwnGang() {}

  /** The name of its gang. What somebody else has written that does not begin so is left out. */
  public static String of(HasMetadata job) {
    return isApart(job) ? Marks.annotations(job).get(KEPT) : job.getMetadata().getName();
  }

  /** Whether that is not called as the job. */
  public static boolean isApart(HasMetadata job) {
    var kept = Marks.annotations(job).getOrDefault(KEPT, "");
    var name = job.getMetadata().getName();
    return kept.startsWith(name) && SUFFIX.matcher(kept.substring(name.length())).matches();
  }

  /**
   * What to call it where another has the name of the job.
   *
   * @param kind as the setting {@code jobKinds} has it
   */
  public static String apart(HasMetadata job, String kind) {
    return job.getMetadata().getName() + "." + kind;
  }
}
