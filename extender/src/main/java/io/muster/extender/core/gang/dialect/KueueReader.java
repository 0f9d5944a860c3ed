package io.muster.extender.core.gang.dialect;

import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.Stated;
import io.muster.extender.core.gang.StatedTerms;
import io.muster.extender.core.gang.Terms;
import java.util.Map;
import java.util.Optional;

/**
 * Kueue's groups of plain pods: as many pods as the group says start together. Groups that Kueue
 * lets in with their first pod, or that serve for ever, are about quota alone and no gangs: their
 * pods are made one after the other.
 */
public final class KueueReader implements MarkingReader {

  static final String PREFIX = "kueue.x-k8s.io/";
  static final String NAME = PREFIX + "pod-group-name";
  static final String TOTAL = PREFIX + "pod-group-total-count";
  private static final String INDEX = PREFIX + "pod-group-pod-index";
  static final String FAST = PREFIX + "pod-group-fast-admission";
  static final String SERVING = PREFIX + "pod-group-serving";

  @Override
  public Dialect dialect() {
    return Dialect.KUEUE;
  }

  /** The name stands in the annotation since 0.18, before that in the label. */
  @Override
  public Optional<Membership> read(Markings markings) {
    var annotations = markings.annotations();
    var annotated = Stated.in(annotations, NAME);
    var name = annotated.isFilled() ? annotated : Stated.in(markings.labels(), NAME);
    if (!name.isFilled() || isTrue(annotations, FAST) || isTrue(annotations, SERVING)) {
      return Optional.empty();
    }
    var total = Stated.in(annotations, TOTAL);
    var terms = StatedTerms.of(total, Terms.MatchPolicy.WAITING_AND_RUNNING);
    return Optional.of(
        new MembershipReading(markings, Dialect.KUEUE, name)
            .read(terms, Stated.in(markings.labels(), INDEX)));
  }

  private static boolean isTrue(Map<String, String> annotations, String key) {
    return "true".equals(annotations.get(key));
  }
}
