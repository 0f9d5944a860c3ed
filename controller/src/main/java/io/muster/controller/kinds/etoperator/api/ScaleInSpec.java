package io.muster.controller.kinds.etoperator.api;

import io.fabric8.generator.annotation.Min;
import io.muster.controller.api.WireType;
import java.util.List;

/**
 * What a scale-in asks for. A wire type: absent fields are null. Immutable.
 *
 * @param selector The job that is meant.
 * @param toDelete The workers to take away.
 * @param script Path of a shell script inside the launcher container. It is run with the list of
 *     pods and slots, and updates the host list instead of Muster.
 * @param timeout Seconds that the script may take. 60 by default.
 * @param env Variables that the script sees.
 * @param backoffLimit Most times that a failed script is run again. 0 by default.
 */
@WireType
public record ScaleInSpec(
    Selector selector,
    ToDelete toDelete,
    String script,
    @Min(1) Integer timeout,
    List<ScriptVariable> env,
    @Min(0) Integer backoffLimit)
    implements ScalerSpec {

  /** Of a request that says nothing. */
  static final ScaleInSpec NOTHING = new ScaleInSpec(null, null, null, null, null, null);
}
