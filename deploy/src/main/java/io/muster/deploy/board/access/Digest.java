package io.muster.deploy.board.access;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * By what a secret is found again: its SHA-256. Whoever guesses learns nothing from how long the
 * comparison of two digests takes, since they cannot choose the digest. Immutable.
 *
 * @param kind of secret, so that one kind is never taken for another
 */
record Digest(Kind kind, String hex) {

  /** Kinds of secrets. */
  enum Kind {
    COOKIE,
    TOKEN
  }

  static Digest of(Kind kind, String secret) {
    try {
      var sha = MessageDigest.getInstance("SHA-256");
      return new Digest(
          kind, HexFormat.of().formatHex(sha.digest(secret.getBytes(StandardCharsets.UTF_8))));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
