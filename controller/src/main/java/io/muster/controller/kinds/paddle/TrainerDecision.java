package io.muster.controller.kinds.paddle;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import io.muster.controller.kinds.paddle.api.PaddleJob;
import io.muster.controller.kube.Conditions;
import io.muster.controller.kube.KeptFact;
import io.muster.controller.kube.Marks;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;

/**
 * How many trainers a job was last given by Muster, as an annotation of the job. A wire type.
 * Immutable.
 *
 * @param count of trainers
 * @param away numbers that none of them has
 * @param at when that was decided; RFC 3339
 * @param hasFailed whether more were decided before, for which there was no room after all
 * @param isRefused whether the API server did not take the pods of more, as it is with a quota
 * @param why in a few words, for users
 */
@JsonIgnoreProperties(ignoreUnknown = true)
record TrainerDecision(
    int count, List<Integer> away, String at, boolean hasFailed, boolean isRefused, String why) {

  /** The annotation. */
  static final String KEY = "muster.io/trainers";

  TrainerDecision {
    away = List.copyOf(new TreeSet<>(Objects.requireNonNullElse(away, List.of())));
    at = Objects.requireNonNullElse(at, "");
    why = Objects.requireNonNullElse(why, "");
  }

  /** What was decided now. */
  static TrainerDecision now(
      int count, List<Integer> away, Instant now, boolean hasFailed, String why) {
    return new TrainerDecision(count, away, Conditions.time(now), hasFailed, false, why);
  }

  /** The same, as the pods of more could not be created. */
  TrainerDecision refused() {
    return new TrainerDecision(count, away, at, true, true, why);
  }

  /** Empty if nothing was, or where somebody has written what nobody can have meant. */
  static Optional<TrainerDecision> of(PaddleJob job) {
    return Optional.ofNullable(Marks.annotations(job).get(KEY))
        .flatMap(text -> KeptFact.read(text, TrainerDecision.class))
        .filter(decided -> decided.count() > 0 && decided.instant().isPresent());
  }

  Optional<Instant> instant() {
    return KeptFact.instant(at);
  }

  /** As the annotation has it. */
  String written() {
    return KeptFact.written(this);
  }
}
