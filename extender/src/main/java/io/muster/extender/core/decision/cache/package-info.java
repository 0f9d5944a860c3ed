/**
 * What is known of the cluster: pods, nodes, gangs, use of queues, and faults. The counterpart of
 * kube-scheduler's cache.
 */
package io.muster.extender.core.decision.cache;
