/** What the decisions need to know of nodes and pods; plain values, no Kubernetes types. */
package io.muster.extender.core.cluster;
