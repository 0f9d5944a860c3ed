package io.muster.controller.core.job;

import java.util.Set;

/**
 * Members of a job that are alike. Immutable.
 *
 * @param name in the words of the kind, such as {@code worker}
 * @param prefix of its members' names
 * @param naming what stands behind it
 * @param range how many there may be
 * @param after roles all of whose members must run before the first of this one is made
 * @param recovery what becomes of lost members
 * @param end how the job ends with its members
 * @param pause whether it is to have members now
 */
public record Role(
    String name,
    String prefix,
    Naming naming,
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
    WITH_ALL,
    /** When each of them has done well, and each of every other role that has this end. */
    WHEN_EACH_DID_WELL,
    /**
     * The same, but from the first that does well on nobody is made any more: then it is enough
     * that all have ended. For sizes that are followed.
     */
    ONCE_ONE_DID_WELL
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
   * @param least that a scale-in may leave, and with which a job begins to run
   * @param most that a scale-out may lead to, {@link Job#MOST_MEMBERS} at most
   * @param isFollowed whether another size in the job is followed at once: members beyond it go,
   *     and those that are new come as they find room
   * @param without indices that are nobody's for now, where a size is followed
   */
  public record Range(
      int start, int wanted, int least, int most, boolean isFollowed, Set<Integer> without) {

    public Range {
      without = Set.copyOf(without);
      most = Math.min(most, Job.MOST_MEMBERS);
    }

    /** The most members that it asks for at any time. */
    public int largest() {
      return Math.max(0, Math.max(start, wanted));
    }

    /** Another size is asked for. */
    public Range(int start, int wanted, int least, int most) {
      this(start, wanted, least, most, false, Set.of());
    }

    /** A job that begins with all it wants. */
    public Range(int start, int least, int most) {
      this(start, start, least, most);
    }

    /** As many as the job says at any time; it runs with the least. */
    public static Range followed(int size, int least) {
      return new Range(size, size, least, Integer.MAX_VALUE, true, Set.of());
    }

    /** The same, but for members with these indices. */
    public Range without(Set<Integer> indices) {
      return new Range(
          start - indices.size(), wanted - indices.size(), least, most, isFollowed, indices);
    }

    /** So many, for ever. */
    public static Range fixed(int size) {
      return new Range(size, size, size);
    }
  }

  public Role {
    after = Set.copyOf(after);
  }

  /** A role that is to have its members, and waits for no other. */
  public Role(String name, String prefix, Naming naming, Range range, Recovery recovery, End end) {
    this(name, prefix, naming, range, Set.of(), recovery, end, Pause.NONE);
  }

  /** Whether the job ends with its member. */
  public boolean decides() {
    return end == End.WITH_ITS_ONE;
  }

  /** Whether there may be several. */
  public boolean isNumbered() {
    return !(naming instanceof Naming.Alone);
  }

  /** The name of the pod with that index. */
  public String podName(int index) {
    return naming.name(prefix, index);
  }
}
