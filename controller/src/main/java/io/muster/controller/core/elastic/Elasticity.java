package io.muster.controller.core.elastic;

import java.time.Instant;
import java.util.List;

/** Decides which jobs grow and which give back. Confined to one thread. */
public interface Elasticity {

  /** What is to be asked for now; empty if all is well. Asked again it says the same. */
  List<Decision> plan(View view, Instant now);

  /** That is asked for now; what is planned later may depend on it. */
  void carriedOut(Decision decision, Instant now);
}
