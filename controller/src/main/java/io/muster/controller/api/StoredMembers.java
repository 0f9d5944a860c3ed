package io.muster.controller.api;

import java.util.Map;

/**
 * What the engine remembers of single members. A wire type: absent fields are null. Immutable.
 *
 * @param ranks Ranks by index, where they differ.
 * @param losses How often who has a rank was lost.
 * @param ended Whether those that have ended for good did well, by index.
 */
@WireType
public record StoredMembers(
    Map<String, Integer> ranks, Map<String, Integer> losses, Map<String, Boolean> ended) {}
