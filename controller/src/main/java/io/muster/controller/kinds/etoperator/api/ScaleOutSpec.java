package io.muster.controller.kinds.etoperator.api;

import io.fabric8.generator.annotation.Min;
import io.muster.controller.api.WireType;
import java.util.List;

/**
 * What a scale-out asks for. A wire type: absent fields are null. Immutable.
 *
 * @param selector The job that is meant.
 * @param toAdd The workers to add.
 * @param script Path of a shell script inside the launcher container. It is run with the list of
 *     pods and slots, and updates the host list instead of Muster.
 * @param timeout Seconds that the new workers, then the script, may take. 60 by default.
 * @param env Variables that the script sees.
 * @param backoffLimit Most times that a failed script is run again. 0 by default.
 */
@WireType
public record ScaleOutSpec(
    Selector selector,
    ToAdd toAdd,
    String script,
    @Min(1) Integer timeout,
    List<ScriptVariable> env,
    @Min(0) Integer backoffLimit)
    implements ScalerSpec {

  /** Of a request that says nothing. */
  static final ScaleOutSpec NOTHING = new ScaleOutSpec(null, null, null, null, null, null);
}
