package io.muster.extender.core.gang.dialect;

import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.Stated;
import java.util.Optional;

/**
 * A member whose gang is the pods of one owner: an annotation, which Muster writes where the
 * namespace lets it infer gangs, names the owner as {@code Kind/name}.
 */
public final class OwnerReader implements MarkingReader {

  @Override
  public Dialect dialect() {
    return Dialect.OWNER;
  }

  @Override
  public Optional<Membership> read(Markings markings) {
    var stated = Stated.in(markings.annotations(), GangKeys.OF);
    if (!stated.isFilled()) {
      return Optional.empty();
    }
    var owner = OwnerInference.parse(markings.namespace(), stated.value().orElse(""));
    var index = Stated.in(markings.annotations(), GangKeys.INDEX);
    return Optional.of(
        owner
            .map(object ->
                new MembershipReading(
                        markings,
                        Dialect.OWNER,
                        new Stated(stated.key(), Optional.of(object.gangName())))
                    .readFrom(object, "", index))
            .orElseGet(
                () -> new MembershipReading(markings, Dialect.OWNER, stated).ofNobody(index)));
  }
}
