/** The Kubernetes side of the extender: reading and writing objects of the cluster. */
package io.muster.extender.kube;
