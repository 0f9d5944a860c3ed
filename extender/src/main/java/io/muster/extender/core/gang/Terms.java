package io.muster.extender.core.gang;

import io.muster.extender.core.bounds.Bounds;
import java.time.Duration;
import java.util.Collections;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** What a member says about its gang: usable terms, or why there are none from it. */
public sealed interface Terms {

  /** Most members a gang may have. */
  int MAX_MEMBERS = 5_000;

  /**
   * Terms a gang can be placed under.
   *
   * @param minAvailable fewest members that may start, 1 to {@link #MAX_MEMBERS}
   * @param totalMembers members expected in all, at least minAvailable
   * @param timeout how long its users want members to wait for each other; informative
   * @param groups gangs, as {@code namespace/name}, that start together; at least the own one
   * @param roles fewest members of each role that may start, within minAvailable
   * @param onLoss what becomes of the gang when a member is lost after the start
   * @param topology how close together the members are to be
   */
  record Usable(
      int minAvailable,
      int totalMembers,
      Mode mode,
      MatchPolicy matchPolicy,
      Duration timeout,
      SortedSet<String> groups,
      SortedMap<String, Integer> roles,
      OnLoss onLoss,
      Topology topology)
      implements Terms {
    public Usable {
      long ofRoles = roles.values().stream().mapToLong(Integer::longValue).sum();
      if (minAvailable < 1
          || minAvailable > MAX_MEMBERS
          || totalMembers < minAvailable
          || ofRoles > minAvailable) {
        throw new IllegalArgumentException(
            "minAvailable %d of %d members, %d of roles"
                .formatted(minAvailable, totalMembers, ofRoles));
      }
      timeout = Bounds.within(timeout, Bounds.LONGEST_RUN);
      groups = Collections.unmodifiableSortedSet(new TreeSet<>(groups));
      roles = Collections.unmodifiableSortedMap(new TreeMap<>(roles));
    }

    /** The same for members that are to be so close together. */
    public Usable within(Topology other) {
      return new Usable(
          minAvailable, totalMembers, mode, matchPolicy, timeout, groups, roles, onLoss, other);
    }
  }

  /**
   * Terms that stand in an object of the cluster; until that is known the gang waits.
   *
   * @param beside what the member says itself, which holds before what the object says
   */
  record InObject(TermsObject object, Beside beside) implements Terms {

    /** The terms of that gang once those of the object are known. */
    public Terms completedBy(Terms ofObject, GangId gang) {
      if (!(ofObject instanceof Usable usable)) {
        return ofObject;
      }
      if (beside.ofRoles() > usable.minAvailable()) {
        return new Unusable(
            GangKeys.ROLES,
            "",
            "gang \"%s\": %s asks for %d members, which is more than the %d of %s \"%s\""
                .formatted(
                    gang,
                    GangKeys.ROLES,
                    beside.ofRoles(),
                    usable.minAvailable(),
                    object.kind().word(),
                    Stated.legible(object.name())));
      }
      return new Usable(
          usable.minAvailable(),
          usable.totalMembers(),
          usable.mode(),
          usable.matchPolicy(),
          usable.timeout(),
          new TreeSet<>(Set.of(gang.toString())),
          beside.roles().isEmpty() ? usable.roles() : beside.roles(),
          beside.onLoss().orElse(usable.onLoss()),
          beside.topology().isAnywhere() ? usable.topology() : beside.topology());
    }
  }

  /**
   * Terms that cannot be honoured; the gang is never placed.
   *
   * @param field the annotation or label to mend
   * @param value what stands there, empty if it is missing
   * @param problem one sentence that says what is wrong and what would be right
   */
  record Unusable(String field, String value, String problem) implements Terms {}

  /**
   * The member itself can never be placed, whatever the terms of its gang are. It counts for
   * nothing: neither for the minimum nor by what it says about it.
   *
   * @param field the part of the pod to mend
   * @param value what stands there
   * @param problem one sentence that says what is wrong and what would be right
   */
  record Unplaceable(String field, String value, String problem) implements Terms {}

  /** What one failed member does to the waiting ones. */
  enum Mode {
    STRICT,
    NON_STRICT
  }

  /** What becomes of a gang that has started when a member is lost. */
  enum OnLoss {
    /** Below the minimum the freed room is kept for replacements for a while. */
    REPLACE,
    /** It goes on with fewer; below the minimum it starts again as a whole. */
    SHRINK,
    /** It starts again as a whole. */
    RESTART,
    /** Nothing: its owner manages it for as long as any member that has started lives. */
    OWNER
  }

  /** Which members count towards minAvailable. */
  enum MatchPolicy {
    /** Those that wait; whoever comes after the start waits until as many have come again. */
    ONLY_WAITING("only-waiting"),
    /** Those that wait and those that run, now: below the minimum nobody joins alone. */
    WAITING_AND_RUNNING("waiting-and-running"),
    /** Those that wait; after the start members come and go one by one. */
    ONCE_SATISFIED("once-satisfied");

    private final String word;

    MatchPolicy(String word) {
      this.word = word;
    }

    /** The policy as users spell it. */
    public String word() {
      return word;
    }
  }
}
