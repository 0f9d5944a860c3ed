package io.muster.extender.core.gang.dialect;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Durations as Go writes them: {@code 300s}, {@code 1h30m}, {@code 1.5h}, {@code 0}. Stateless. */
public final class GoDuration {

  /** Far more than any sensible duration needs; keeps hostile input cheap. */
  private static final int MAX_CHARACTERS = 64;

  private static final int NANO_DIGITS = 9;

  private static final Pattern PART =
      Pattern.compile("([0-9]+(?:\\.[0-9]*)?|\\.[0-9]+)(ns|us|\u00b5s|\u03bcs|ms|s|m|h)");

  private static final Map<String, Long> NANOS =
      Map.of(
          "ns", 1L,
          "us", 1_000L,
          "\u00b5s", 1_000L,
          "\u03bcs", 1_000L,
          "ms", 1_000_000L,
          "s", 1_000_000_000L,
          "m", 60_000_000_000L,
          "h", 3_600_000_000_000L);

  private GoDuration() {}

  /** The duration, possibly negative; empty if the text is none or does not fit in 64 bits. */
  public static Optional<Duration> parse(String text) {
    if (text.isEmpty() || text.length() > MAX_CHARACTERS) {
      return Optional.empty();
    }
    boolean isNegative = text.charAt(0) == '-';
    var unsigned = isNegative || text.charAt(0) == '+' ? text.substring(1) : text;
    if (unsigned.equals("0")) {
      return Optional.of(Duration.ZERO);
    }
    var total = BigDecimal.ZERO;
    var part = PART.matcher(unsigned);
    int position = 0;
    while (position < unsigned.length()) {
      part.region(position, unsigned.length());
      if (!part.lookingAt()) {
        return Optional.empty();
      }
      var amount = new BigDecimal(part.group(1)).multiply(unit(part.group(2)));
      total = total.add(amount.setScale(0, RoundingMode.DOWN));
      position = part.end();
    }
    if (position == 0 || total.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
      return Optional.empty();
    }
    long nanos = total.longValueExact();
    return Optional.of(Duration.ofNanos(isNegative ? -nanos : nanos));
  }

  /** The shortest text that is read as this duration, which is not negative. */
  public static String text(Duration time) {
    var text = new StringBuilder();
    if (time.toHours() > 0) {
      text.append(time.toHours()).append('h');
    }
    if (time.toMinutesPart() > 0) {
      text.append(time.toMinutesPart()).append('m');
    }
    var seconds =
        BigDecimal.valueOf(time.toSecondsPart())
            .add(BigDecimal.valueOf(time.toNanosPart(), NANO_DIGITS));
    if (seconds.signum() > 0) {
      text.append(seconds.stripTrailingZeros().toPlainString()).append('s');
    }
    return text.isEmpty() ? "0" : text.toString();
  }

  private static BigDecimal unit(String name) {
    return BigDecimal.valueOf(NANOS.getOrDefault(name, 0L));
  }
}
