/**
 * What the core is told and asked, what it answers and has done: events and calls in, answers,
 * effects and views out, and the rules and deadlines that it keeps. Words only; {@code
 * core.decision} decides.
 */
package io.muster.extender.core.protocol;
