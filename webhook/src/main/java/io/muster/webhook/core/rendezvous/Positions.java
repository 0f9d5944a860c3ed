package io.muster.webhook.core.rendezvous;

import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.gang.GangKeys;
import io.muster.webhook.core.patch.EnvVar;
import io.muster.webhook.core.patch.EnvVar.Field;
import io.muster.webhook.core.patch.EnvVar.Literal;
import io.muster.webhook.core.rendezvous.OwnerKind.Leaders;
import io.muster.webhook.core.rendezvous.OwnerKind.Mark;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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
    for (var key : kind.index()) {
      var index = number(key, member);
      if (index.isPresent()) {
        return ranked(kind, member, index.getAsInt(), new Field(key.path()));
      }
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
    return before(kind.leaders().get(), member, index)
        .map(others ->
            new Position(
                index,
                index + others,
                others == 0 ? source : new Literal(Integer.toString(index + others))));
  }

  /** How many members of leading roles come before; empty where that is not known. */
  private static Optional<Integer> before(Leaders leaders, GangMember member, int index) {
    var role = leaders.role().in(member.markings()).orElse("").toLowerCase(Locale.ROOT);
    if (leaders.names().contains(role)) {
      return Optional.of(0);
    }
    var roles = member.terms().roles();
    if (roles.isEmpty()) {
      return member.toldRank().map(rank -> rank - index).filter(others -> others >= 0);
    }
    return Optional.of(
        roles.entrySet().stream()
            .filter(entry -> leaders.names().contains(entry.getKey().toLowerCase(Locale.ROOT)))
            .mapToInt(Map.Entry::getValue)
            .sum());
  }

  private static OptionalInt number(Mark key, GangMember member) {
    return key.in(member.markings())
        .filter(NUMBER.asMatchPredicate())
        .map(text -> OptionalInt.of(Integer.parseInt(text)))
        .orElseGet(OptionalInt::empty);
  }
}
