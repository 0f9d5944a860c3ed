/** Keys and certificates: made, read, stored as PEM, checked; which clients a listener lets in. */
package io.muster.certs.x509;
