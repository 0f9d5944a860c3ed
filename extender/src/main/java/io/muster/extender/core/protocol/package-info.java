/**
 * The flow of a gang from its first member to its last binding, as a state machine without clock,
 * threads or I/O: events and calls come in, effects come out.
 */
package io.muster.extender.core.protocol;
