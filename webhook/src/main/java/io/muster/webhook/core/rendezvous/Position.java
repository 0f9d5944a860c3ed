package io.muster.webhook.core.rendezvous;

import io.muster.webhook.core.patch.EnvVar;

/**
 * Which of its gang's members a pod is; its replacement gets the same. Immutable.
 *
 * @param index among its siblings, as its name or marks say
 * @param rank among all members of the gang
 * @param source where a container reads the rank
 */
record Position(int index, int rank, EnvVar.Source source) {}
