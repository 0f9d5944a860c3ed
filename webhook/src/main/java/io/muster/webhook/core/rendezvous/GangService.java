package io.muster.webhook.core.rendezvous;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.UUID;
import java.util.regex.Pattern;

/** The headless Service under which members of a gang find each other. Stateless. */
public final class GangService {

  /** On its members: the name of the Service, by which the Service selects them. */
  public static final String LABEL = "muster.io/gang-service";

  private static final int LONGEST = 63;
  private static final String PREFIX = "muster-";
  private static final Pattern HOST = Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?");

  private GangService() {}

  /** Its name: the same for all members, and no other gang's in the namespace. */
  public static String nameOf(String gang) {
    var plain = PREFIX + gang;
    if (isHost(plain) && !gang.matches(".*-[0-9a-f]{8}")) {
      return plain;
    }
    var hash = UUID.nameUUIDFromBytes(gang.getBytes(StandardCharsets.UTF_8)).toString();
    var stem = gang.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-");
    var room = LONGEST - PREFIX.length() - 9;
    var cut = stem.substring(0, Math.min(stem.length(), room)).replaceAll("^-|-$", "");
    return PREFIX + (cut.isEmpty() ? "" : cut + "-") + hash.substring(0, 8);
  }

  /** Whether this can be a host's name. */
  static boolean isHost(String name) {
    return name.length() <= LONGEST && HOST.matcher(name).matches();
  }
}
