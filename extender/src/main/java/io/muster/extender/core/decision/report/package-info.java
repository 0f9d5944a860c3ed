/** What users are told: phase, reason, message, position, and why there is no room. */
package io.muster.extender.core.decision.report;
