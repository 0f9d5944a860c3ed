package io.muster.webhook.core;

import io.muster.webhook.core.patch.PatchOp;

/**
 * One step of a pod's patch, and why it is taken. Immutable.
 *
 * @param profile name of the profile that asks for it
 */
public record Edit(PatchOp op, Rule rule, String profile) {}
