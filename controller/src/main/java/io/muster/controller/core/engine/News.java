package io.muster.controller.core.engine;

import io.muster.controller.core.state.ResizeFault;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Something that has come about and that users are told, each kind in its own words. */
public sealed interface News {

  /** Those of one sort. */
  static <T extends News> Stream<T> of(List<News> news, Class<T> sort) {
    return news.stream().filter(sort::isInstance).map(sort::cast);
  }

  /** The job has been taken up. */
  record Accepted() implements News {}

  /** All members of a role have been made. */
  record Made(String role) implements News {}

  /** So many members of a role run, which is all. */
  record Up(String role, int members) implements News {}

  record Running() implements News {}

  record Succeeded() implements News {}

  /** The job has failed. */
  record Failed(Cause cause, String message) implements News {

    /** Why a job has failed. */
    public enum Cause {
      /** What was asked for cannot be run. */
      INVALID,
      /** The member that decides has failed. */
      MEMBER,
      /** The member that decides was evicted. */
      EVICTED,
      /** So many members are lost for good that the rest cannot do without them. */
      TOO_FEW,
      /** It has taken longer than it may. */
      DEADLINE,
      /** It has waited longer for its members than it may. */
      WAITED
    }
  }

  record Suspended() implements News {}

  /** It starts again as a whole. */
  record Restarted(int times) implements News {}

  /** The apiserver refuses its pods for now. */
  record Refused(String message) implements News {}

  /** A member was lost; the text says how. */
  record MemberLost(String name, String how) implements News {}

  /** A role has another size, as the job has it. */
  record Followed(String role, int from, int to) implements News {}

  /** Members were made in place of lost ones. */
  record MembersReplaced(List<String> names) implements News {}

  /**
   * Lost members of a role are not recreated for now; told as long as it is so.
   *
   * @param until when the next one may be; empty: never
   */
  record BudgetSpent(String role, int budget, Optional<Instant> until) implements News {}

  /** A role has fewer members than the job needs; told as long as it is so. */
  record BelowLeast(String role, int members, int least) implements News {}

  /** The node of the member that decides will go; told as long as it is so. */
  record DecidingLeaves(String name, String node) implements News {}

  /** Something that has come about of a request. */
  sealed interface OfResize extends News {

    /** Of the request. */
    String id();
  }

  /** A request has been noticed. */
  record ResizeNoticed(String id) implements OfResize {}

  /** The context of a request has come. */
  record ResizeStarted(String id) implements OfResize {}

  /** The job has been told of it. */
  record ResizeTold(String id) implements OfResize {}

  /** Members take long to leave. */
  record ResizeSlow(String id, List<String> members) implements OfResize {}

  record ResizeSucceeded(String id, boolean wasForced) implements OfResize {}

  record ResizeFailed(String id, ResizeFault fault) implements OfResize {}
}
