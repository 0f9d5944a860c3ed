package io.muster.webhook.core.facts;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigDecimal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class AmountTest {

  @ParameterizedTest
  @CsvSource({
    "1, 1",
    "+2, 2",
    "-1, -1",
    "500m, 0.5",
    "1.5, 1.5",
    "1k, 1000",
    "3G, 3000000000",
    "64Gi, 68719476736",
    "1Ki, 1024",
    "1e3, 1000",
    "2E2, 200",
    "1E, 1000000000000000000"
  })
  void readsQuantitiesAsTheApiserverDoes(String quantity, BigDecimal number) {
    assertThat(Amount.of(quantity).orElseThrow()).isEqualByComparingTo(number);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "G", "1 Gi", "1gi", "0x1", "1e999", "--1", "٣", "1ki"})
  void whatIsNoQuantityIsNone(String text) {
    assertThat(Amount.of(text)).isEmpty();
  }

  @Test
  void writesBytesInTheLargestUnitThatNeedsNoFraction() {
    assertThat(Amount.ofBytes(64L << 30)).isEqualTo("64Gi");
    assertThat(Amount.ofBytes(1430L << 20)).isEqualTo("1430Mi");
    assertThat(Amount.ofBytes(1)).isEqualTo("1");
    assertThat(Amount.ofBytes(0)).isEqualTo("0");
  }
}
