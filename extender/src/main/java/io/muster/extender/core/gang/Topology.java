package io.muster.extender.core.gang;

import java.util.List;
import java.util.Optional;

/**
 * How close together members are to be. A level is the key of a node label; nodes with the same
 * value are one domain, nodes without it belong to none. Immutable.
 *
 * @param preferred levels to be tried, nearest first: all members go to one domain of the first
 *     level that has a domain that holds them; to any nodes if none has
 * @param required the level of which all members must be in one domain; they wait if none holds
 *     them
 */
public record Topology(List<String> preferred, Optional<String> required) {

  /** Members may be anywhere. */
  public static final Topology ANYWHERE = new Topology(List.of(), Optional.empty());

  public Topology {
    preferred = List.copyOf(preferred);
  }

  /** As near as can be, by these levels, nearest first. */
  public static Topology preferring(String... levels) {
    return new Topology(List.of(levels), Optional.empty());
  }

  /** In one domain of this level or not at all. */
  public static Topology requiring(String level) {
    return new Topology(List.of(), Optional.of(level));
  }

  /** Whether nothing is asked for. */
  public boolean isAnywhere() {
    return preferred.isEmpty() && required.isEmpty();
  }
}
