/** What is known of one gang, and of all of them. {@code GangState} has the parts. */
package io.muster.extender.core.decision.state;
