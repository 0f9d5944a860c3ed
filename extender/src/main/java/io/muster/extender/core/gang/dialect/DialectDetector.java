package io.muster.extender.core.gang.dialect;

import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.Stated;
import io.muster.extender.core.gang.Terms;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Reads a pod's markings in every known dialect. Stateless; safe for concurrent use.
 *
 * <ol>
 *   <li>The dialect that {@link GangKeys#DIALECT} names is asked first: what was recognised when
 *       the pod was admitted stays, whatever is written beside it later.
 *   <li>Then the dialects in the order of their enum; the first that finds a gang wins.
 *   <li>Another dialect that names another gang or another minimum is a warning; not so Kueue,
 *       whose groups are about quota and stand on top of any gang.
 * </ol>
 *
 * The stamp decides the order only: one that names a dialect whose keys are missing, or none that
 * is known, changes nothing. The cluster's own gang scheduling alone is not asked without it: then
 * the cluster starts the gang itself.
 */
public final class DialectDetector {

  private static final List<MarkingReader> READERS =
      List.of(
          new MusterReader(),
          new SchedulerPluginsReader(),
          new KoordinatorReader(),
          new VolcanoReader(),
          new KueueReader(),
          new OwnerReader());

  private static final MarkingReader NATIVE = new NativeReader();

  /** Those of schedulers of which each starts its own gangs itself. */
  private static final List<MarkingReader> ELSEWHERE = List.of(NATIVE, new KaiReader());

  /** The gang that the markings name, in the order of detection; empty for a pod without gang. */
  public Optional<Membership> recognise(Markings markings) {
    return recognise(inOrder(markings), markings);
  }

  /** The same for a pod of which somebody else than Muster takes care: it may be of any dialect. */
  public Optional<Membership> observe(Markings markings) {
    var readers = new ArrayList<>(ELSEWHERE);
    readers.addAll(READERS);
    return recognise(readers, markings);
  }

  private static Optional<Membership> recognise(List<MarkingReader> readers, Markings markings) {
    var found = readers.stream().flatMap(reader -> reader.read(markings).stream()).toList();
    if (found.isEmpty()) {
      return Optional.empty();
    }
    var winner = found.getFirst();
    var warnings = new ArrayList<>(winner.warnings());
    for (var other : found.subList(1, found.size())) {
      if (other.gang().dialect() != Dialect.KUEUE && !agree(winner, other)) {
        warnings.add(
            "%s names gang %s instead; %s gang %s is used"
                .formatted(
                    other.gang().dialect().label(),
                    Stated.shortened(other.gang().name()),
                    winner.gang().dialect().label(),
                    Stated.shortened(winner.gang().name())));
      }
    }
    return Optional.of(
        new Membership(
            winner.gang(),
            winner.terms(),
            winner.role(),
            winner.index(),
            warnings,
            winner.nvlink()));
  }

  private static List<MarkingReader> inOrder(Markings markings) {
    var stamped = markings.annotations().getOrDefault(GangKeys.DIALECT, "");
    var readers = new ArrayList<MarkingReader>(READERS.size());
    if (NativeReader.isQueued(markings)) {
      readers.add(NATIVE);
    }
    READERS.stream().filter(r -> r.dialect().label().equals(stamped)).forEach(readers::add);
    READERS.stream().filter(r -> !r.dialect().label().equals(stamped)).forEach(readers::add);
    return readers;
  }

  private static boolean agree(Membership a, Membership b) {
    var one = minimum(a);
    var other = minimum(b);
    return a.gang().name().equals(b.gang().name())
        && (one.isEmpty() || other.isEmpty() || one.equals(other));
  }

  /** Empty where it stands in an object that is not at hand. */
  private static OptionalInt minimum(Membership membership) {
    return switch (membership.terms()) {
      case Terms.Usable usable -> OptionalInt.of(usable.minAvailable());
      case Terms.Unusable _, Terms.Unplaceable _ -> OptionalInt.of(0);
      case Terms.InObject _ -> OptionalInt.empty();
    };
  }
}
