package io.muster.extender.core.gang.dialect;

import io.muster.extender.core.gang.Beside;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.Terms;
import java.util.List;
import java.util.Optional;

/** The cluster's own gang scheduling: a field of the pod names the object with the terms. */
public final class NativeReader implements MarkingReader {

  @Override
  public Dialect dialect() {
    return Dialect.NATIVE;
  }

  @Override
  public Optional<Membership> read(Markings markings) {
    return markings
        .nativeGroup()
        .map(group ->
            new Membership(
                new GangId(Dialect.NATIVE, markings.namespace(), group.name()),
                new Terms.InObject(group.terms(), Beside.NOTHING),
                -1,
                List.of()));
  }
}
