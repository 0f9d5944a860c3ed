package io.muster.extender.core.gang.dialect;

import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.Stated;
import io.muster.extender.core.gang.StatedTerms;
import io.muster.extender.core.gang.TermsObject;
import java.util.List;
import java.util.Optional;

/**
 * Koordinator's coscheduling. The gang's name comes from the PodGroup label, else the label of
 * lightweight coscheduling, else the annotation; the minimum from the label before the annotation.
 * With the PodGroup label the terms stand in the PodGroup object alone.
 */
public final class KoordinatorReader implements MarkingReader {

  static final String PREFIX = "gang.scheduling.koordinator.sh/";
  static final String POD_GROUP = "pod-group.scheduling.sigs.k8s.io";
  static final String POD_GROUP_NAME = POD_GROUP + "/name";
  static final String POD_GROUP_MIN = POD_GROUP + "/min-available";
  static final String MIN = PREFIX + "min-available";
  static final String POD_GROUP_MATCH_POLICY = POD_GROUP + "/match-policy";

  @Override
  public Dialect dialect() {
    return Dialect.KOORDINATOR;
  }

  @Override
  public Optional<Membership> read(Markings markings) {
    var object = Stated.in(markings.labels(), POD_GROUP);
    if (object.isFilled()) {
      return Optional.of(
          new MembershipReading(markings, Dialect.KOORDINATOR, object)
              .readFrom(TermsObject.Kind.KOORDINATOR_POD_GROUP, "", index(markings)));
    }
    var label = Stated.in(markings.labels(), POD_GROUP_NAME);
    var annotation = Stated.in(markings.annotations(), PREFIX + "name");
    var name = label.isFilled() ? label : annotation;
    if (!name.isFilled()) {
      return Optional.empty();
    }
    return Optional.of(
        new MembershipReading(markings, Dialect.KOORDINATOR, name)
            .read(terms(markings), index(markings)));
  }

  private static Stated index(Markings markings) {
    return Stated.in(markings.annotations(), PREFIX + "network-topology-index");
  }

  private static StatedTerms terms(Markings markings) {
    var annotations = markings.annotations();
    return new StatedTerms(
        Stated.firstOf(
            List.of(Stated.in(markings.labels(), POD_GROUP_MIN), Stated.in(annotations, MIN))),
        Stated.in(annotations, PREFIX + "total-number"),
        Stated.in(annotations, PREFIX + "waiting-time"),
        Stated.in(annotations, PREFIX + "mode"),
        Stated.in(annotations, PREFIX + "match-policy", POD_GROUP_MATCH_POLICY),
        Stated.in(annotations, PREFIX + "groups"));
  }
}
