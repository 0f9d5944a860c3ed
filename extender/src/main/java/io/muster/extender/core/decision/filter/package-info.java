/** Filter: what kube-scheduler gets when it asks for nodes for a pod, single pods included. */
package io.muster.extender.core.decision.filter;
