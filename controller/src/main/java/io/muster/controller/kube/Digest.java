package io.muster.controller.kube;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Short texts that differ where longer ones do. */
public final class Digest {

  private Digest() {}

  /** The SHA-256 of a text, in hexadecimal. */
  public static String of(String text) {
    try {
      return HexFormat.of()
          .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** Its beginning, which is enough where nobody means harm. */
  public static String shortOf(String text) {
    return of(text).substring(0, 16);
  }
}
