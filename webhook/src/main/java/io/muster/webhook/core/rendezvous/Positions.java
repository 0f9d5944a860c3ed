package io.muster.webhook.core.rendezvous;

import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.gang.GangKeys;
import io.muster.webhook.core.patch.EnvVar;
import io.muster.webhook.core.patch.EnvVar.Field;
import io.muster.webhook.core.patch.EnvVar.Literal;
import io.muster.webhook.core.rendezvous.OwnerKind.Mark;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/** Finds the position of a member. Immutable. */
record Positions(List<OwnerKind> kinds) {

  private static final Mark OWN = Mark.annotation(GangKeys.INDEX);
  private static final Mark KOORDINATOR =
      Mark.annotation("gang.scheduling.koordinator.sh/network-topology-index");
  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,9}");

  Positions {
    kinds = List.copyOf(kinds);
  }

  /** The kind of the job that the member belongs to. */
  Optional<OwnerKind> kindOf(GangMember member) {
    return kinds.stream().filter(k -> k.mark().in(member.markings()).isPresent()).findFirst();
  }

  /** Its position; empty where none is stated, or several members would share it. */
  Optional<Position> of(GangMember member) {
    return stated(member, OWN)
        .or(() -> stated(member, KOORDINATOR))
        .or(() -> kindOf(member).flatMap(kind -> byKind(kind, member)));
  }

  /** The order of the roles in its gang, where its kind has such. */
  Optional<RoleOrder> rolesOf(GangMember member) {
    return kindOf(member).flatMap(OwnerKind::leaders).map(leaders -> RoleOrder.of(leaders, member));
  }

  /** The role of member 0, where roles have an order and it is known. */
  Optional<String> firstRole(GangMember member) {
    var index =
        kindOf(member)
            .flatMap(kind -> marked(kind, member))
            .map(key -> number(key, member))
            .orElseGet(OptionalInt::empty);
    return rolesOf(member).flatMap(roles -> roles.first(index));
  }

  private static Optional<Mark> marked(OwnerKind kind, GangMember member) {
    return kind.index().stream().filter(key -> number(key, member).isPresent()).findFirst();
  }

  private static Optional<Position> stated(GangMember member, Mark key) {
    return number(key, member).stream()
        .mapToObj(index -> new Position(index, index, new Field(key.path())))
        .findFirst();
  }

  private static Optional<Position> byKind(OwnerKind kind, GangMember member) {
    var jobs = kind.onlyJob().flatMap(key -> key.in(member.markings())).orElse("1");
    if (!jobs.equals("1")) {
      return Optional.empty();
    }
    var marked = marked(kind, member);
    if (marked.isPresent()) {
      var key = marked.get();
      return ranked(kind, member, number(key, member).getAsInt(), new Field(key.path()));
    }
    return kind.ordinalOf()
        .flatMap(key -> key.in(member.markings()))
        .map(PodKey::ordinalOf)
        .filter(OptionalInt::isPresent)
        .map(OptionalInt::getAsInt)
        .map(index -> new Position(index, index, new Literal(Integer.toString(index))));
  }

  private static Optional<Position> ranked(
      OwnerKind kind, GangMember member, int index, EnvVar.Source source) {
    if (kind.leaders().isEmpty()) {
      return Optional.of(new Position(index, index, source));
    }
    return RoleOrder.of(kind.leaders().get(), member)
        .before(index)
        .map(others ->
            new Position(
                index,
                index + others,
                others == 0 ? source : new Literal(Integer.toString(index + others))));
  }

  private static OptionalInt number(Mark key, GangMember member) {
    return key.in(member.markings())
        .filter(NUMBER.asMatchPredicate())
        .map(text -> OptionalInt.of(Integer.parseInt(text)))
        .orElseGet(OptionalInt::empty);
  }
}
