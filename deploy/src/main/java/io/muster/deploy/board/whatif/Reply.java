package io.muster.deploy.board.whatif;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import java.util.List;

/** What somebody who asks is sent. Immutable. */
public sealed interface Reply {

  /** What would become of the pods. */
  record Given(Outcome document) implements Reply {}

  /** There is none; the document says why. */
  record Refused(Refusal why, Problem document) implements Reply {}

  /** Kinds of refusals. */
  enum Refusal {
    INVALID,
    FORBIDDEN,
    TOO_LONG,
    BUSY,
    /** Their last one has not ended. */
    ONE_AT_A_TIME,
    /** It takes longer than anybody may wait; asked again it would take as long. */
    TOO_SLOW,
    FAULT
  }

  /** What is sent. */
  Object document();

  /** There is none. */
  static Reply refused(Refusal why, String message) {
    return new Refused(why, new Problem(message, null));
  }

  /**
   * As it is sent; null is absent.
   *
   * @param field of the request that is to be changed
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Problem(String message, String field) {}

  /**
   * As it is sent; null is absent.
   *
   * @param asOf the time of the view that was asked about
   * @param starts {@code now}, {@code after-gangs}, {@code after-other-pods}, {@code after-nodes},
   *     {@code after-queue} or {@code never}
   * @param why what the planner says of it; absent where it has names that may not be seen
   * @param after the gangs that have to end first, as far as they may be seen
   * @param others how many more have to
   * @param places where members would go
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  record Outcome(
      int version,
      String asOf,
      String starts,
      String why,
      String sentence,
      List<Gang> after,
      Integer others,
      List<Place> places) {}

  /** A gang that has to end first. */
  record Gang(String namespace, String name, String since) {}

  /** So many members on one node, as a pair. */
  @JsonFormat(shape = JsonFormat.Shape.ARRAY)
  @JsonPropertyOrder({"node", "members"})
  record Place(String node, int members) {}
}
