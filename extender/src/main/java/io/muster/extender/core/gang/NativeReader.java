package io.muster.extender.core.gang;

import java.util.List;
import java.util.Optional;

/** The cluster's own gang scheduling: a field of the pod names the object with the terms. */
final class NativeReader implements MarkingReader {

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
