package io.muster.controller.kinds.di.task;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kube.KeptFact;
import io.muster.controller.kube.Marks;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Pods of the growing task that a job which may be preempted or is elastic has given up for others,
 * as an annotation of the job. A wire type. Immutable.
 *
 * @param numbers of the pods
 * @param at when that was changed last; RFC 3339
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record WithheldCollectors(List<Integer> numbers, String at) {

  /** The annotation. */
  public static final String KEY = "muster.io/withheld";

  /** Annotation: collectors go to equals too, and come back when there is room. */
  private static final String ELASTIC = "muster.io/elastic";

  private static final WithheldCollectors NONE = new WithheldCollectors(List.of(), "");

  public WithheldCollectors {
    numbers = List.copyOf(new TreeSet<>(Objects.requireNonNullElse(numbers, List.of())));
    at = Objects.requireNonNullElse(at, "");
  }

  /** That of the job; none where somebody has written something else there. */
  public static WithheldCollectors of(DIJob job) {
    return Optional.ofNullable(Marks.annotations(job).get(KEY))
        .filter(_ -> mayGiveUp(job))
        .flatMap(text -> KeptFact.read(text, WithheldCollectors.class))
        .filter(withheld -> withheld.at().isEmpty() || withheld.instant().isPresent())
        .orElse(NONE);
  }

  /** Whether a job gives pods up for others: where it may be preempted, or is elastic. */
  public static boolean mayGiveUp(DIJob job) {
    return isElastic(job) || Boolean.TRUE.equals(job.getSpec().preemptible());
  }

  public static boolean isElastic(DIJob job) {
    return "true".equals(Marks.annotations(job).get(ELASTIC));
  }

  public Optional<Instant> instant() {
    return KeptFact.instant(at);
  }

  /** Those among so many, and never more than leave the least. */
  public Set<Integer> of(int wanted, int least) {
    return numbers.stream()
        .filter(number -> number >= 0 && number < wanted)
        .limit(Math.max(0, wanted - least))
        .collect(Collectors.toSet());
  }

  /** As the annotation has it. */
  public String written() {
    return KeptFact.written(this);
  }
}
