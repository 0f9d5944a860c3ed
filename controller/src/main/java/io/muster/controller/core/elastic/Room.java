package io.muster.controller.core.elastic;

import java.util.List;
import java.util.Optional;

/** Judges what fits where: the planner that places gangs, asked about what is not so yet. */
public interface Room {

  /** Nodes for one more pod like each of these, in their order; empty if not all have room. */
  Optional<List<String>> places(List<String> podUids);

  /** Whether a waiting gang could have a member on that node, were it empty. */
  boolean couldUse(String gang, String node);

  /** Whether a waiting gang would have room if these pods were gone. */
  boolean fitsWithout(String gang, List<String> podUids);
}
