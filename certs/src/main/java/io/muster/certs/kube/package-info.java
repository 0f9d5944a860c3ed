/** Keeps the certificates in Kubernetes Secrets. */
package io.muster.certs.kube;
