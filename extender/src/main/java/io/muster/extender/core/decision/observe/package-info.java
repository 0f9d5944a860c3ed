/**
 * Gangs that are only watched: those of other schedulers, and what Muster would do in a dry run.
 */
package io.muster.extender.core.decision.observe;
