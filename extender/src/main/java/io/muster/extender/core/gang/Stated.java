package io.muster.extender.core.gang;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/** A value as a pod states it, and the key under which it stands (or should stand). Immutable. */
public record Stated(String key, Optional<String> value) {

  private static final int SHOWN_CHARACTERS = 32;
  private static final int LONGEST_NAME = 253;
  private static final Pattern INTEGER = Pattern.compile("[+-]?[0-9]{1,64}");

  /** Terminals obey the control characters from U+0080 on as well. */
  private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]");

  /** The value under the first of the keys that is present; absent values stand at the first. */
  public static Stated in(Map<String, String> map, String... keys) {
    for (var key : keys) {
      if (map.containsKey(key)) {
        return new Stated(key, Optional.of(map.get(key)));
      }
    }
    return new Stated(keys[0], Optional.empty());
  }

  /** The first that is present, else the last, which then names the key to set. */
  public static Stated firstOf(List<Stated> candidates) {
    return candidates.stream()
        .filter(stated -> stated.value().isPresent())
        .findFirst()
        .orElse(candidates.getLast());
  }

  /** Whether something stands there. */
  public boolean isFilled() {
    return !value.orElse("").isEmpty();
  }

  /** The value as Go's ParseInt(value, 10, 32) reads it: ASCII digits, a sign, no blanks. */
  public OptionalInt integer() {
    var text = value.orElse("");
    if (!INTEGER.matcher(text).matches()) {
      return OptionalInt.empty();
    }
    try {
      return OptionalInt.of(Integer.parseInt(text));
    } catch (NumberFormatException _) {
      return OptionalInt.empty();
    }
  }

  /** The value in quotes, for messages: printable and short. */
  public String shown() {
    return '"' + shortened(value.orElse("")) + '"';
  }

  /** The text without control characters, cut where it is long. */
  public static String shortened(String text) {
    var head = text.length() > SHOWN_CHARACTERS ? cut(text) + "..." : text;
    return UNPRINTABLE.matcher(head).replaceAll("?");
  }

  /** A name without control characters, cut where it is longer than any valid one. */
  public static String legible(String name) {
    return name.length() > LONGEST_NAME
        ? shortened(name)
        : UNPRINTABLE.matcher(name).replaceAll("?");
  }

  /** Never ends in half a character. */
  private static String cut(String text) {
    boolean splits = Character.isHighSurrogate(text.charAt(SHOWN_CHARACTERS - 1));
    return text.substring(0, splits ? SHOWN_CHARACTERS - 1 : SHOWN_CHARACTERS);
  }
}
