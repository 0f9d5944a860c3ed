package io.muster.certs.x509;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;

/**
 * Shows one server identity, which can be swapped while ports are open: new handshakes see the new
 * certificate, open connections keep the old one. The identity before the last swap still answers
 * for handshakes that had begun with it. Safe for concurrent use.
 */
public final class ServingKeyManager extends X509ExtendedKeyManager {

  private static final String[] NOT_A_CLIENT = {};

  private final AtomicReference<Held> held;

  public ServingKeyManager(Identity identity) {
    this.held = new AtomicReference<>(new Held(1, identity, identity));
  }

  /** Shows this identity from the next handshake on. */
  public void swap(Identity identity) {
    held.updateAndGet(last -> new Held(last.number() + 1, identity, last.current()));
  }

  /** What new handshakes are shown. */
  public Identity current() {
    return held.get().current();
  }

  @Override
  public String chooseEngineServerAlias(String keyType, Principal[] issuers, SSLEngine engine) {
    return serverAlias(keyType);
  }

  @Override
  public String chooseServerAlias(String keyType, Principal[] issuers, Socket socket) {
    return serverAlias(keyType);
  }

  @Override
  public String[] getServerAliases(String keyType, Principal[] issuers) {
    String alias = serverAlias(keyType);
    return alias == null ? new String[0] : new String[] {alias};
  }

  @Override
  public PrivateKey getPrivateKey(String alias) {
    Identity identity = held.get().named(alias);
    return identity == null ? null : identity.key();
  }

  @Override
  public X509Certificate[] getCertificateChain(String alias) {
    Identity identity = held.get().named(alias);
    return identity == null ? null : identity.chain().toArray(X509Certificate[]::new);
  }

  @Override
  public String[] getClientAliases(String keyType, Principal[] issuers) {
    return NOT_A_CLIENT;
  }

  @Override
  public String chooseClientAlias(String[] keyTypes, Principal[] issuers, Socket socket) {
    return null;
  }

  // JSSE asks once for every kind of key that the client can verify; null means "not this kind".
  private String serverAlias(String keyType) {
    Held now = held.get();
    return now.current().key().getAlgorithm().equals(keyType) ? now.alias() : null;
  }

  private record Held(long number, Identity current, Identity previous) {

    String alias() {
      return aliasOf(number);
    }

    Identity named(String alias) {
      if (alias().equals(alias)) {
        return current;
      }
      return aliasOf(number - 1).equals(alias) ? previous : null;
    }

    private static String aliasOf(long number) {
      return "muster-" + number;
    }
  }
}
