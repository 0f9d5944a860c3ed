package io.muster.controller.kinds.etoperator.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Min;
import io.muster.controller.api.WireType;
import java.util.List;

/** What a scale-in asks for. A wire type: absent fields are null. Immutable. */
@WireType
public record ScaleInSpec(
    @JsonPropertyDescription("The job that is meant.") Selector selector,
    @JsonPropertyDescription("The workers to take away.") ToDelete toDelete,
    @JsonPropertyDescription(
            "Path of a shell script inside the launcher container. It is run with the list of"
                + " pods and slots, and updates the host list instead of Muster.")
        String script,
    @Min(1) @JsonPropertyDescription("Seconds that the script may take. 60 by default.")
        Integer timeout,
    @JsonPropertyDescription("Variables that the script sees.") List<ScriptVariable> env,
    @Min(0) @JsonPropertyDescription("Most times that a failed script is run again. 0 by default.")
        Integer backoffLimit)
    implements ScalerSpec {

  /** Of a request that says nothing. */
  static final ScaleInSpec NOTHING = new ScaleInSpec(null, null, null, null, null, null);
}
