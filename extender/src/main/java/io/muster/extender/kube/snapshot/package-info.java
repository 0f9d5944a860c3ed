/** What decisions see of a cluster, read once, and as a file. */
package io.muster.extender.kube.snapshot;
