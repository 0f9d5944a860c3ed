/**
 * The queue and one round through it: order, backfill reservations, preemption, and who is tried.
 */
package io.muster.extender.core.decision.scheduling;
