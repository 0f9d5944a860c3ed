package io.muster.controller.api;

import java.util.List;
import java.util.Map;

/**
 * What the engine remembers of losses that are being made good. A wire type: absent fields are
 * null. Immutable.
 *
 * @param stage How far the round is.
 * @param causes Why it began.
 * @param failures Rounds in which members failed.
 * @param moves Rounds in which members went otherwise, or others were wanted.
 * @param going Uids of lost pods whose names are given out again, by role and index.
 */
@WireType
public record StoredMending(
    String stage,
    List<String> causes,
    Integer failures,
    Integer moves,
    Map<String, Map<String, String>> going) {}
