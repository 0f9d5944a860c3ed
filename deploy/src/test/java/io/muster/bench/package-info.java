/**
 * The measurements behind {@code deploy/bench}: the same work given to a plain kube-scheduler, to
 * the least extender there can be, and to Muster, in turns on one control plane.
 */
package io.muster.bench;
