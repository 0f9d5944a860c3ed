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
 * @param recovery what becomes of lost members
 * @param end how the job ends with its members
 * @param pause whether it is to have members now
 */
public record Role(
    String name,
    String prefix,
    boolean isNumbered,
    Range range,
    Set<String> after,
    Recovery recovery,
    End end,
    Pause pause) {

  /** How a job ends with the members of a role. */
  public enum End {
    /** Not with them. */
    NEVER,
    /** When its member ends, as that one did. */
    WITH_ITS_ONE,
    /** When all have ended: well, if one has done well; badly, if too few are left before that. */
    WITH_ALL
  }

  /** Whether a role is to have members now. */
  public enum Pause {
    NONE,
    /** Those that there are stay; no other is made. */
    NO_MORE,
    /** None: who comes back later is the one that was there before. */
    AWAY
  }

  /**
   * How many members.
   *
   * @param start when the job begins
   * @param wanted once it runs, as the job says; what is missing joins it then
   * @param least that a scale-in may leave
   * @param most that a scale-out may lead to
   */
  public record Range(int start, int wanted, int least, int most) {

    /** A job that begins with all it wants. */
    public Range(int start, int least, int most) {
      this(start, start, least, most);
    }

    /** So many, for ever. */
    public static Range fixed(int size) {
      return new Range(size, size, size);
    }
  }

  public Role {
    after = Set.copyOf(after);
  }

  /** A role that is to have its members. */
  public Role(
      String name,
      String prefix,
      boolean isNumbered,
      Range range,
      Set<String> after,
      Recovery recovery,
      boolean decides) {
    this(
        name,
        prefix,
        isNumbered,
        range,
        after,
        recovery,
        decides ? End.WITH_ITS_ONE : End.NEVER,
        Pause.NONE);
  }

  /** Whether the job ends with its member. */
  public boolean decides() {
    return end == End.WITH_ITS_ONE;
  }

  /** The name of the pod with that index. */
  public String podName(int index) {
    return isNumbered ? prefix + "-" + index : prefix;
  }
}
