package io.muster.deploy.board.http;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;

/**
 * Lets in whoever has the address that the command printed, once; who has come in by it is known by
 * a cookie until the command ends. Safe for concurrent use.
 */
final class ViewerKey {

  private static final int BYTES = 24;

  private final String key = random();
  private final String session = random();
  private boolean isUsed;

  private static String random() {
    var bytes = new byte[BYTES];
    new SecureRandom().nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** To be put into the address. */
  String key() {
    return key;
  }

  /** The value of the cookie for whoever brings the key first; empty for a wrong or used one. */
  synchronized Optional<String> exchange(String brought) {
    if (isUsed || !isSame(key, brought)) {
      return Optional.empty();
    }
    isUsed = true;
    return Optional.of(session);
  }

  /** Whether that is the value of the cookie. */
  boolean isKnown(Optional<String> cookie) {
    return cookie.filter(value -> isSame(session, value)).isPresent();
  }

  private static boolean isSame(String expected, String brought) {
    return MessageDigest.isEqual(
        expected.getBytes(StandardCharsets.UTF_8), brought.getBytes(StandardCharsets.UTF_8));
  }
}
