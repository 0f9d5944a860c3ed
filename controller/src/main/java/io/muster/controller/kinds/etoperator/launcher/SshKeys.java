package io.muster.controller.kinds.etoperator.launcher;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Base64;
import org.bouncycastle.crypto.generators.Ed25519KeyPairGenerator;
import org.bouncycastle.crypto.params.Ed25519KeyGenerationParameters;
import org.bouncycastle.crypto.params.Ed25519PrivateKeyParameters;
import org.bouncycastle.crypto.params.Ed25519PublicKeyParameters;
import org.bouncycastle.crypto.util.OpenSSHPrivateKeyUtil;
import org.bouncycastle.crypto.util.OpenSSHPublicKeyUtil;

/** Makes keys with which a launcher reaches its workers by ssh. Safe for concurrent use. */
public final class SshKeys {

  private static final int LINE = 70;

  private final SecureRandom random = new SecureRandom();

  /** Both as OpenSSH stores them. */
  record Pair(String privateKey, String publicKey) {

    /** Without the secret. */
    @Override
    public String toString() {
      return publicKey;
    }
  }

  /** An Ed25519 pair: quick to make, and known to OpenSSH since 6.5. */
  Pair make() {
    var generator = new Ed25519KeyPairGenerator();
    generator.init(new Ed25519KeyGenerationParameters(random));
    var pair = generator.generateKeyPair();
    try {
      var secret =
          OpenSSHPrivateKeyUtil.encodePrivateKey((Ed25519PrivateKeyParameters) pair.getPrivate());
      var open =
          OpenSSHPublicKeyUtil.encodePublicKey((Ed25519PublicKeyParameters) pair.getPublic());
      var lines =
          Base64.getMimeEncoder(LINE, "\n".getBytes(StandardCharsets.US_ASCII))
              .encodeToString(secret);
      return new Pair(
          "-----BEGIN OPENSSH PRIVATE KEY-----\n" + lines + "\n-----END OPENSSH PRIVATE KEY-----\n",
          "ssh-ed25519 " + Base64.getEncoder().encodeToString(open) + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
