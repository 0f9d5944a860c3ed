package io.muster.extender.core.gang.dialect;

import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.Stated;
import io.muster.extender.core.gang.StatedTerms;
import java.util.Optional;

/** Muster's own annotations, {@code muster.io/gang-*}. */
public final class MusterReader implements MarkingReader {

  @Override
  public Dialect dialect() {
    return Dialect.MUSTER;
  }

  @Override
  public Optional<Membership> read(Markings markings) {
    var annotations = markings.annotations();
    var name = Stated.in(annotations, GangKeys.NAME);
    if (!name.isFilled()) {
      return Optional.empty();
    }
    var terms =
        new StatedTerms(
            Stated.in(annotations, GangKeys.MIN),
            Stated.in(annotations, GangKeys.TOTAL),
            Stated.in(annotations, GangKeys.TIMEOUT),
            Stated.in(annotations, GangKeys.MODE),
            Stated.in(annotations, GangKeys.MATCH_POLICY),
            Stated.in(annotations, GangKeys.GROUPS));
    return Optional.of(
        new MembershipReading(markings, Dialect.MUSTER, name)
            .read(terms, Stated.in(annotations, GangKeys.INDEX)));
  }
}
