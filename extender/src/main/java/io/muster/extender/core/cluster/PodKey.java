package io.muster.extender.core.cluster;

import java.util.OptionalInt;

/** Names one pod for good: a pod made again under the same name has another uid. Immutable. */
public record PodKey(String namespace, String name, String uid) {

  private static final int ORDINAL_DIGITS = 9;

  /**
   * The number that the name of a pod ends in, after a hyphen, as of {@code worker-12}; of nine
   * digits at most. Read without a pattern: members are compared by it all the time.
   */
  public static OptionalInt ordinalOf(String name) {
    int start = name.length();
    while (start > 0 && name.charAt(start - 1) >= '0' && name.charAt(start - 1) <= '9') {
      start--;
    }
    int digits = name.length() - start;
    boolean isOrdinal =
        digits > 0 && digits <= ORDINAL_DIGITS && start > 0 && name.charAt(start - 1) == '-';
    return isOrdinal
        ? OptionalInt.of(Integer.parseInt(name, start, name.length(), 10))
        : OptionalInt.empty();
  }

  @Override
  public String toString() {
    return namespace + "/" + name;
  }
}
