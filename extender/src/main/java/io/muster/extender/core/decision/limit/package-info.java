/** Ends gangs that have run for their run-time limits. */
package io.muster.extender.core.decision.limit;
