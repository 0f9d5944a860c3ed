/**
 * How a new leader goes on with what it finds, and what is done about members bound past Muster and
 * about gangs that have met a fault.
 */
package io.muster.extender.core.decision.recovery;
