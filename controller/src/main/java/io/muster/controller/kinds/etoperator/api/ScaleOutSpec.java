package io.muster.controller.kinds.etoperator.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Min;
import io.muster.controller.api.WireType;
import java.util.List;

/** What a scale-out asks for. A wire type: absent fields are null. Immutable. */
@WireType
public record ScaleOutSpec(
    @JsonPropertyDescription("The job that is meant.") Selector selector,
    @JsonPropertyDescription("The workers to add.") ToAdd toAdd,
    @JsonPropertyDescription(
            "Path of a shell script inside the launcher container. It is run with the list of"
                + " pods and slots, and updates the host list instead of Muster.")
        String script,
    @Min(1)
        @JsonPropertyDescription(
            "Seconds that the new workers, then the script, may take. 60 by default.")
        Integer timeout,
    @JsonPropertyDescription("Variables that the script sees.") List<ScriptVariable> env,
    @Min(0) @JsonPropertyDescription("Most times that a failed script is run again. 0 by default.")
        Integer backoffLimit)
    implements ScalerSpec {

  /** Of a request that says nothing. */
  static final ScaleOutSpec NOTHING = new ScaleOutSpec(null, null, null, null, null, null);
}
