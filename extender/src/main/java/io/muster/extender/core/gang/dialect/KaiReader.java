package io.muster.extender.core.gang.dialect;

import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.Stated;
import io.muster.extender.core.gang.TermsObject;
import java.util.Optional;

/** The KAI scheduler: its pod grouper writes the name of the PodGroup onto the pod. */
public final class KaiReader implements MarkingReader {

  static final String POD_GROUP = "pod-group-name";
  static final String SUB_GROUP = "kai.scheduler/subgroup-name";

  @Override
  public Dialect dialect() {
    return Dialect.KAI;
  }

  @Override
  public Optional<Membership> read(Markings markings) {
    var name = Stated.in(markings.annotations(), POD_GROUP);
    if (!name.isFilled()) {
      return Optional.empty();
    }
    return Optional.of(
        new MembershipReading(markings, Dialect.KAI, name)
            .readFrom(
                TermsObject.Kind.KAI_POD_GROUP,
                Stated.in(markings.labels(), SUB_GROUP).value().orElse(""),
                Stated.in(markings.annotations(), GangKeys.INDEX)));
  }
}
