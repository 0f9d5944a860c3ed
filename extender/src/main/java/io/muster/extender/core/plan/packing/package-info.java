/**
 * Which of the nodes that will do is best: close together, and so that least is lost for others.
 */
package io.muster.extender.core.plan.packing;
