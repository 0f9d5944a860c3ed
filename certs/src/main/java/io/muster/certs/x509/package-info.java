/** Keys and certificates: making, reading, storing as PEM and checking them. */
package io.muster.certs.x509;
