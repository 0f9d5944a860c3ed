package io.muster.extender.core.gang;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * How close together members are to be. A level is named as the cluster's levels name it, or by the
 * key of a node label; nodes with the same value are one domain, nodes without it belong to none.
 * Immutable.
 *
 * @param preferred levels to be tried, nearest first: all members go to one domain of the first
 *     level that has a domain that holds them; members that are alike else to as few as can be
 * @param required the level of which all members must be in one domain; they wait if none holds
 *     them
 * @param segments what consecutive members must be in one domain, the smallest first
 * @param joins name of the gang in whose domains they are to be
 */
public record Topology(
    List<String> preferred,
    Optional<String> required,
    List<Segment> segments,
    Optional<String> joins) {

  /**
   * So many members that follow one another, the first of all, the next and so on, each in one
   * domain of the level.
   */
  public record Segment(String level, int size) {}

  /** No user can write a blank into the name of a level. */
  private static final String TIER = "tier ";

  /** Members may be anywhere. */
  public static final Topology ANYWHERE = new Topology(List.of(), Optional.empty());

  public Topology {
    preferred = List.copyOf(preferred);
    segments = segments.stream().sorted(Comparator.comparingInt(Segment::size)).toList();
    for (int i = 1; i < segments.size(); i++) {
      if (segments.get(i).size() % segments.get(i - 1).size() != 0) {
        throw new IllegalArgumentException("segments do not nest: " + segments);
      }
    }
  }

  /** Of a gang that joins no other. */
  public Topology(List<String> preferred, Optional<String> required, List<Segment> segments) {
    this(preferred, required, segments, Optional.empty());
  }

  /** Without segments. */
  public Topology(List<String> preferred, Optional<String> required) {
    this(preferred, required, List.of());
  }

  /** As near as can be, by these levels, nearest first. */
  public static Topology preferring(String... levels) {
    return new Topology(List.of(levels), Optional.empty());
  }

  /** In one domain of this level or not at all. */
  public static Topology requiring(String level) {
    return new Topology(List.of(), Optional.of(level));
  }

  /** The same in the domains of that gang. */
  public Topology joining(Optional<String> gang) {
    return new Topology(preferred, required, segments, gang);
  }

  /** The same in such segments, which must nest: each size divides the next larger one. */
  public Topology inSegments(Segment... of) {
    return new Topology(preferred, required, List.of(of));
  }

  /** What the level with that number goes by, counted outwards; 1 is the innermost. */
  public static String tier(int number) {
    return TIER + number;
  }

  /** Which level counted outwards goes by that; 0 for any other word. */
  public static int tierOf(String level) {
    return level.length() == TIER.length() + 1 && level.startsWith(TIER)
        ? Math.max(0, Character.digit(level.charAt(TIER.length()), 10))
        : 0;
  }

  /**
   * The level that tells members most of where they are: that of the smallest segments, else the
   * nearest that is preferred, else the required one.
   */
  public Optional<String> nearest() {
    return segments.stream()
        .map(Segment::level)
        .findFirst()
        .or(() -> preferred.stream().findFirst())
        .or(() -> required);
  }

  /** Whether nothing is asked for. */
  public boolean isAnywhere() {
    return preferred.isEmpty() && required.isEmpty() && segments.isEmpty();
  }

  /** Whether members may have to wait for the sake of it. */
  public boolean binds() {
    return required.isPresent() || !segments.isEmpty();
  }
}
