package io.muster.extender.kube.device;

import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;

/** A quantity as CEL compares it. Immutable. */
record Amount(BigDecimal value) implements Comparable<Amount> {

  /**
   * Reads a quantity.
   *
   * @throws IllegalArgumentException if it is none
   */
  static Amount of(String text) {
    return new Amount(Quantity.parse(text).getNumericalAmount().stripTrailingZeros());
  }

  @Override
  public int compareTo(Amount other) {
    return value.compareTo(other.value);
  }
}
