package io.muster.extender.kube.device;

import java.util.Comparator;
import java.util.regex.Pattern;

/** A version by the rules of semver.org; what follows a plus sign is no part of it. Immutable. */
record SemanticVersion(long major, long minor, long patch, String preRelease)
    implements Comparable<SemanticVersion> {

  private static final Pattern FORM =
      Pattern.compile("(\\d{1,18})\\.(\\d{1,18})\\.(\\d{1,18})(?:-([0-9A-Za-z.-]+))?(?:\\+.*)?");
  private static final Comparator<SemanticVersion> BY_NUMBERS =
      Comparator.comparingLong(SemanticVersion::major)
          .thenComparingLong(SemanticVersion::minor)
          .thenComparingLong(SemanticVersion::patch);

  /**
   * Reads a version.
   *
   * @throws IllegalArgumentException if it is none
   */
  static SemanticVersion of(String text) {
    var parts = FORM.matcher(text);
    if (!parts.matches()) {
      throw new IllegalArgumentException("no version: " + text);
    }
    return new SemanticVersion(
        Long.parseLong(parts.group(1)),
        Long.parseLong(parts.group(2)),
        Long.parseLong(parts.group(3)),
        parts.group(4) == null ? "" : parts.group(4));
  }

  @Override
  public int compareTo(SemanticVersion other) {
    int byNumbers = BY_NUMBERS.compare(this, other);
    return byNumbers == 0 ? byPreRelease(other) : byNumbers;
  }

  /** A release comes after what led to it; numbers come before words. */
  private int byPreRelease(SemanticVersion other) {
    if (preRelease.isEmpty() || other.preRelease.isEmpty()) {
      return Boolean.compare(preRelease.isEmpty(), other.preRelease.isEmpty());
    }
    var mine = preRelease.split("\\.", -1);
    var theirs = other.preRelease.split("\\.", -1);
    for (int i = 0; i < Math.min(mine.length, theirs.length); i++) {
      int order = compareParts(mine[i], theirs[i]);
      if (order != 0) {
        return order;
      }
    }
    return Integer.compare(mine.length, theirs.length);
  }

  private static int compareParts(String a, String b) {
    boolean aIsNumber = a.matches("\\d{1,18}");
    boolean bIsNumber = b.matches("\\d{1,18}");
    if (aIsNumber && bIsNumber) {
      return Long.compare(Long.parseLong(a), Long.parseLong(b));
    }
    return aIsNumber == bIsNumber ? a.compareTo(b) : aIsNumber ? -1 : 1;
  }
}
