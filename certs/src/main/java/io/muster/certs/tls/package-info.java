/** TLS ports for Javalin servers. */
package io.muster.certs.tls;
