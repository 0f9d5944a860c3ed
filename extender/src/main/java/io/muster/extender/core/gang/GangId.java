package io.muster.extender.core.gang;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Pattern;

/** Names a gang: the same name in two namespaces or two dialects is two gangs. Immutable. */
public record GangId(Dialect dialect, String namespace, String name) implements Comparable<GangId> {

  private static final int HASH_BYTES = 4;
  private static final Pattern FOREIGN = Pattern.compile("[^-a-z0-9]+");
  private static final Pattern EDGES = Pattern.compile("^-+|-+$");

  /** By namespace, name and dialect; asked more often than anything else where thousands wait. */
  @Override
  public int compareTo(GangId other) {
    int byNamespace = namespace.compareTo(other.namespace);
    if (byNamespace != 0) {
      return byNamespace;
    }
    int byName = name.compareTo(other.name);
    return byName == 0 ? dialect.compareTo(other.dialect) : byName;
  }

  /** The gang of the same dialect that is so written as {@code namespace/name}. */
  public GangId sibling(String written) {
    int slash = written.indexOf('/');
    boolean isThis =
        slash == namespace.length()
            && written.length() == slash + 1 + name.length()
            && written.endsWith(name)
            && written.startsWith(namespace);
    if (isThis) {
      return this;
    }
    return new GangId(dialect, written.substring(0, slash), written.substring(slash + 1));
  }

  /** As users of a namespace are told of it: they may not know what is in another one. */
  public String shownIn(String userNamespace) {
    return userNamespace.equals(namespace) ? "gang " + this : "a gang of another namespace";
  }

  /**
   * A name for an object that is made for the gang: lower-case letters, digits and dashes, always
   * the same for a gang, and no other gang's of the namespace.
   *
   * @param longest of so many characters at most
   */
  public String objectName(int longest) {
    var suffix = "-" + hash(dialect.label() + "/" + name);
    var lower = FOREIGN.matcher(name.toLowerCase(Locale.ROOT)).replaceAll("-");
    var cut = lower.substring(0, Math.min(lower.length(), longest - suffix.length()));
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

  /** {@code namespace/name}, the way users and events write it. */
  @Override
  public String toString() {
    return namespace + "/" + name;
  }
}
