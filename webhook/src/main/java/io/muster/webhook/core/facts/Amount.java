package io.muster.webhook.core.facts;

import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Reads Kubernetes quantities. Stateless. */
public final class Amount {

  private static final Pattern QUANTITY =
      Pattern.compile(
          "([+-]?[0-9]{1,30}(?:\\.[0-9]{0,30})?)(?:([eE][+-]?[0-9]{1,2})|([numkMGTPE]i?|Ki))?");
  private static final BigDecimal KILO = BigDecimal.valueOf(1000);
  private static final BigDecimal KIBI = BigDecimal.valueOf(1024);
  private static final Map<String, Integer> DECIMAL =
      Map.of("n", -3, "u", -2, "m", -1, "k", 1, "M", 2, "G", 3, "T", 4, "P", 5, "E", 6);
  private static final Map<String, Integer> BINARY =
      Map.of("Ki", 1, "Mi", 2, "Gi", 3, "Ti", 4, "Pi", 5, "Ei", 6);

  private Amount() {}

  /** The number that the quantity stands for; empty if it is none. */
  public static Optional<BigDecimal> of(String quantity) {
    var parts = QUANTITY.matcher(quantity);
    if (!parts.matches()) {
      return Optional.empty();
    }
    var exponent = Optional.ofNullable(parts.group(2)).orElse("");
    var suffix = Optional.ofNullable(parts.group(3)).orElse("");
    var number = new BigDecimal(parts.group(1) + exponent);
    if (suffix.isEmpty()) {
      return Optional.of(number);
    }
    if (BINARY.containsKey(suffix)) {
      return Optional.of(number.multiply(KIBI.pow(BINARY.get(suffix))));
    }
    return Optional.ofNullable(DECIMAL.get(suffix))
        .map(power -> number.multiply(power < 0 ? milli(-power) : KILO.pow(power)));
  }

  private static BigDecimal milli(int power) {
    return BigDecimal.ONE.movePointLeft(3 * power);
  }

  /** Whether the quantity is above zero. */
  public static boolean isPositive(String quantity) {
    return of(quantity).filter(number -> number.signum() > 0).isPresent();
  }

  /** Whether the quantity is a number without fraction. */
  public static boolean isWhole(BigDecimal number) {
    return number.stripTrailingZeros().scale() <= 0;
  }

  /** Bytes in the largest binary unit that needs no fraction. */
  public static String ofBytes(long bytes) {
    var units = new String[] {"", "Ki", "Mi", "Gi", "Ti"};
    int unit = 0;
    long number = bytes;
    while (number != 0 && number % 1024 == 0 && unit < units.length - 1) {
      number /= 1024;
      unit++;
    }
    return number + units[unit];
  }
}
