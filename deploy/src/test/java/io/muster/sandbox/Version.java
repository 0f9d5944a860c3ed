package io.muster.sandbox;

import java.util.Optional;
import java.util.regex.Pattern;

/** Major, minor and patch of a program. Immutable. */
record Version(int major, int minor, int patch) {

  private static final Pattern NUMBERS =
      Pattern.compile("(?<![\\d.])(\\d+)\\.(\\d+)(?:\\.(\\d+))?");

  /** The first version mentioned in what a program prints. */
  static Optional<Version> firstIn(String text) {
    var found = NUMBERS.matcher(text);
    return found.find()
        ? Optional.of(
            new Version(
                Integer.parseInt(found.group(1)),
                Integer.parseInt(found.group(2)),
                found.group(3) == null ? 0 : Integer.parseInt(found.group(3))))
        : Optional.empty();
  }

  boolean hasMinorOf(Version other) {
    return major == other.major && minor == other.minor;
  }

  boolean isAtLeast(int wantedMajor, int wantedMinor) {
    return major > wantedMajor || (major == wantedMajor && minor >= wantedMinor);
  }

  @Override
  public String toString() {
    return major + "." + minor + "." + patch;
  }
}
