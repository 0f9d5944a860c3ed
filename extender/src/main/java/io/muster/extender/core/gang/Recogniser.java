package io.muster.extender.core.gang;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Reads a pod's markings in every known dialect. Stateless; safe for concurrent use.
 *
 * <ol>
 *   <li>The dialect that {@link GangKeys#DIALECT} names is asked first: what was recognised when
 *       the pod was admitted stays, whatever is written beside it later.
 *   <li>Then the dialects in the order of their enum; the first that finds a gang wins.
 *   <li>Another dialect that names another gang or another minimum is a warning.
 * </ol>
 *
 * The stamp decides the order only: one that names a dialect whose keys are missing, or none that
 * is known, changes nothing.
 */
public final class Recogniser {

  private static final List<MarkingReader> READERS =
      List.of(new MusterReader(), new KoordinatorReader());

  /** The gang that the markings name, in the order of detection; empty for a pod without gang. */
  public Optional<Membership> recognise(Markings markings) {
    var found =
        inOrder(markings).stream().flatMap(reader -> reader.read(markings).stream()).toList();
    if (found.isEmpty()) {
      return Optional.empty();
    }
    var winner = found.getFirst();
    var warnings = new ArrayList<>(winner.warnings());
    for (var other : found.subList(1, found.size())) {
      if (!agree(winner, other)) {
        warnings.add(
            "%s marks gang %s otherwise; %s gang %s is used"
                .formatted(
                    other.gang().dialect().label(),
                    Stated.shortened(other.gang().name()),
                    winner.gang().dialect().label(),
                    Stated.shortened(winner.gang().name())));
      }
    }
    return Optional.of(
        new Membership(winner.gang(), winner.terms(), winner.role(), winner.index(), warnings));
  }

  private static List<MarkingReader> inOrder(Markings markings) {
    var stamped = markings.annotations().getOrDefault(GangKeys.DIALECT, "");
    var readers = new ArrayList<MarkingReader>(READERS.size());
    READERS.stream().filter(r -> r.dialect().label().equals(stamped)).forEach(readers::add);
    READERS.stream().filter(r -> !r.dialect().label().equals(stamped)).forEach(readers::add);
    return readers;
  }

  private static boolean agree(Membership a, Membership b) {
    return a.gang().name().equals(b.gang().name()) && minimum(a) == minimum(b);
  }

  private static int minimum(Membership membership) {
    return switch (membership.terms()) {
      case Terms.Usable usable -> usable.minAvailable();
      case Terms.Unusable _, Terms.Unplaceable _ -> 0;
    };
  }
}
