/** What Prometheus learns of certificates and refused connections. */
package io.muster.certs.metrics;
