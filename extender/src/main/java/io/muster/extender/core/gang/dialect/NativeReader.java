package io.muster.extender.core.gang.dialect;

import io.muster.extender.core.gang.Beside;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.Stated;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.TermsObject;
import java.util.List;
import java.util.Optional;

/**
 * The cluster's own gang scheduling: a field of the pod names the object with the terms. What else
 * a pod says is read where its gang waits in a queue of Muster's, as was decided at its admission.
 */
public final class NativeReader implements MarkingReader {

  /** Where a pod names its PodGroup. */
  static final String FIELD = "spec.schedulingGroup.podGroupName";

  @Override
  public Dialect dialect() {
    return Dialect.NATIVE;
  }

  /** Whether the pod waits in a queue of Muster's, in a PodGroup that is not Muster's. */
  static boolean isQueued(Markings markings) {
    return Dialect.NATIVE.label().equals(markings.annotations().get(GangKeys.DIALECT))
        && markings
            .nativeGroup()
            .filter(group -> group.terms().kind() == TermsObject.Kind.NATIVE_POD_GROUP)
            .filter(group -> !group.isMusters())
            .isPresent();
  }

  @Override
  public Optional<Membership> read(Markings markings) {
    boolean isQueued = isQueued(markings);
    return markings
        .nativeGroup()
        .map(group ->
            isQueued
                ? new MembershipReading(
                        markings, Dialect.NATIVE, new Stated(FIELD, Optional.of(group.name())))
                    .readFrom(group.terms(), "", Stated.in(markings.annotations(), GangKeys.INDEX))
                : new Membership(
                    new GangId(Dialect.NATIVE, markings.namespace(), group.name()),
                    new Terms.InObject(group.terms(), Beside.NOTHING),
                    -1,
                    List.of()));
  }
}
