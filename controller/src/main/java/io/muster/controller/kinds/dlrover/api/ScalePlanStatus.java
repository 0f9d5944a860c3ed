package io.muster.controller.kinds.dlrover.api;

import io.muster.controller.api.WireType;
import java.util.List;

/**
 * How far a scale plan has come. A wire type: absent fields are null; times are RFC 3339.
 * Immutable.
 *
 * @param phase Created, Pending, Scaling, Succeeded or Failed.
 * @param createTime When it was taken up.
 * @param startTime When its turn came.
 * @param finishTime When it ended.
 * @param pods Names of the pods that come or go.
 * @param message Why it stands where it stands, where that needs saying.
 */
@WireType
public record ScalePlanStatus(
    String phase,
    String createTime,
    String startTime,
    String finishTime,
    List<String> pods,
    String message) {}
