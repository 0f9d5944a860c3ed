package io.muster.extender.kube.gang;

import io.muster.extender.core.gang.GangId;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** The names that a gang's object may have. Stateless; safe for concurrent use. */
public final class GangObjectNames {

  private static final int LONGEST = 253;
  private static final int HASH_BYTES = 4;
  private static final Pattern SUBDOMAIN =
      Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");
  private static final Pattern FOREIGN = Pattern.compile("[^-a-z0-9]+");
  private static final Pattern EDGES = Pattern.compile("^-+|-+$");

  private GangObjectNames() {}

  /**
   * Object names in the order to try: the gang's own name if an object may bear it, then one that
   * no gang of another dialect shares.
   */
  public static List<String> candidates(GangId gang) {
    var certain = certain(gang);
    return gang.name().length() <= LONGEST && SUBDOMAIN.matcher(gang.name()).matches()
        ? List.of(gang.name(), certain)
        : List.of(certain);
  }

  private static String certain(GangId gang) {
    var suffix = "-" + hash(gang.dialect().label() + "/" + gang.name());
    var lower = FOREIGN.matcher(gang.name().toLowerCase(Locale.ROOT)).replaceAll("-");
    var cut = lower.substring(0, Math.min(lower.length(), LONGEST - suffix.length()));
    var stem = EDGES.matcher(cut).replaceAll("");
    return (stem.isEmpty() ? "gang" : stem) + suffix;
  }

  private static String hash(String text) {
    try {
      var digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, HASH_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
