/**
 * What a gang holds and sends when it starts: its reservation, its record, its Bindings, the gates
 * that come off. Each is the state of one gang, and knows no other.
 */
package io.muster.extender.core.decision.burst;
