/**
 * Muster's own authority, the certificates it issues, and who trusts whom. Knows neither Kubernetes
 * nor a web server; {@link io.muster.certs.Certificates} is the door.
 */
package io.muster.certs;
