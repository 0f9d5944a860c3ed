package io.muster.controller.core.state;

import java.util.List;

/** Why a resize was not carried out. */
public sealed interface ResizeFault {

  /** What is wanted is not clear. */
  record Unclear(String problem) implements ResizeFault {}

  /** There are no members by these names. */
  record NoSuchMembers(List<String> names) implements ResizeFault {}

  /** More are to go than there are, or all. */
  record NobodyLeft(int members) implements ResizeFault {}

  /** Fewer would be left than the job needs. */
  record BelowLeast(int left, int least) implements ResizeFault {}

  /** There would be more than the job may have. */
  record AboveMost(int members, int most) implements ResizeFault {}

  /** The new members did not all run in time. */
  record TimedOut() implements ResizeFault {}

  /** The job could not be told of it in time. */
  record Untold() implements ResizeFault {}

  /** A new member has ended before all were there. */
  record MemberEnded(String name) implements ResizeFault {}

  /** The nodes of these new members will go. */
  record NodesLeaving(List<String> names) implements ResizeFault {}

  /** Members have to leave their nodes, which goes first. */
  record GaveWay() implements ResizeFault {}

  /** The apiserver refuses the pods. */
  record Refused(String message) implements ResizeFault {}

  /** The script has failed, or the job could not be told. */
  record ScriptFailed(String message) implements ResizeFault {}

  /** The job has ended. */
  record JobEnded() implements ResizeFault {}

  /** An earlier job of the same name had taken it up, and is gone. */
  record EarlierJob() implements ResizeFault {}
}
