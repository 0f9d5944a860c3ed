/** The CA, the serving and client certificates, and who trusts them. */
package io.muster.certs;
