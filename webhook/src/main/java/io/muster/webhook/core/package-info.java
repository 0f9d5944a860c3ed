/** The decision what a pod gets before it is stored; no Kubernetes types, no clock, no I/O. */
package io.muster.webhook.core;
