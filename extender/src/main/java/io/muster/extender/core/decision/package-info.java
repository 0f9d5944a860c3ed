/**
 * Who decides: the flow of a gang from its first member to its last binding, as a state machine
 * without clock, threads or I/O. What comes in and goes out is said in the words of {@code
 * core.protocol}.
 */
package io.muster.extender.core.decision;
