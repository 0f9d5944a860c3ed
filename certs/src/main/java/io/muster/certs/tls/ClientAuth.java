package io.muster.certs.tls;

/** What a TLS port asks of those who call it. */
public enum ClientAuth {
  /** No client certificate is asked for. */
  NONE,
  /** Without a trusted client certificate the handshake fails. */
  NEED
}
