package io.muster.controller.kinds.etoperator.api;

import java.util.List;

/** What requests for scale-in and scale-out have in common. Absent fields are null. */
public sealed interface ScalerSpec permits ScaleInSpec, ScaleOutSpec {

  /** The job that is meant. */
  Selector selector();

  /** Path of a shell script inside the launcher's container, run instead of the own host list. */
  String script();

  /** Seconds. */
  Integer timeout();

  /** Variables for the script. */
  List<ScriptVariable> env();

  /** Most times that a failed script is run again. */
  Integer backoffLimit();
}
