package io.muster.controller.kube;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.muster.controller.core.engine.Action;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Marks on objects by which Muster asks for another size of a job in its user's stead. */
public final class OwnResizes {

  /** By when members shall have left; RFC 3339. */
  public static final String FORCED_AT = "muster.io/forced-at";

  /** Goes before all others. */
  private static final String URGENT = "muster.io/urgent";

  private OwnResizes() {}

  /** Gives an object its name and marks; it goes with the job. */
  public static void mark(
      HasMetadata object, HasMetadata job, Action.Ask ask, Map<String, String> labels) {
    var metadata = Ownership.metadata(job, ask.key());
    var all = new HashMap<>(labels);
    if (ask.urgent()) {
      all.put(URGENT, "true");
    }
    metadata.setLabels(all);
    var annotations = new HashMap<>(Map.of(Ownership.TAKEN_UP_BY, job.getMetadata().getUid()));
    ask.forcedAt().ifPresent(at -> annotations.put(FORCED_AT, Conditions.time(at)));
    metadata.setAnnotations(annotations);
    object.setMetadata(metadata);
  }

  public static boolean isUrgent(HasMetadata object) {
    return Marks.labels(object).containsKey(URGENT);
  }

  /** Empty where nothing is said, or what is no time. */
  public static Optional<Instant> forcedAt(HasMetadata object) {
    return KeptFact.instant(Marks.annotations(object).getOrDefault(FORCED_AT, ""));
  }
}
