package io.muster.controller.core.job;

import java.util.Set;

/**
 * Members of a job that are alike. Immutable.
 *
 * @param name in the words of the kind, such as {@code worker}
 * @param prefix of its members' names; with an index behind it where there may be several
 * @param isNumbered whether there may be several
 * @param range how many there may be
 * @param after roles all of whose members must run before the first of this one is made
 * @param replacement which lost members are made anew
 * @param decides whether the job ends with its member
 */
public record Role(
    String name,
    String prefix,
    boolean isNumbered,
    Range range,
    Set<String> after,
    Replacement replacement,
    boolean decides) {

  /**
   * How many members.
   *
   * @param start when the job begins
   * @param least that a scale-in may leave
   * @param most that a scale-out may lead to
   */
  public record Range(int start, int least, int most) {

    /** So many, for ever. */
    public static Range fixed(int size) {
      return new Range(size, size, size);
    }
  }

  public Role {
    after = Set.copyOf(after);
  }

  /** The name of the pod with that index. */
  public String podName(int index) {
    return isNumbered ? prefix + "-" + index : prefix;
  }
}
