package io.muster.extender.core.shadow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.LocalDate;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A ledger adds up, and never grows beyond its bounds. */
final class ShadowLedgerTest {

  private static final LocalDate DAY = LocalDate.parse("2026-11-25");
  private static final ShadowCounts ONE = new ShadowCounts(1, 2, 3, 4, 5, 6);

  @Test
  void daysAddUpByNamespace() {
    var ledger =
        ShadowLedger.EMPTY
            .plus(DAY.minusDays(7), Map.of("a", ONE))
            .plus(DAY.minusDays(6), Map.of("a", ONE))
            .plus(DAY, Map.of("a", ONE, "b", ONE));

    assertThat(ledger.since(DAY.minusDays(6)))
        .isEqualTo(Map.of("a", new ShadowCounts(2, 4, 6, 8, 10, 12), "b", ONE));
  }

  @Test
  void twoLedgersAddUpWhateverTheirOrder() {
    var one = ShadowLedger.EMPTY.plus(DAY, Map.of("a", ONE));
    var other =
        ShadowLedger.EMPTY.plus(DAY, Map.of("a", ONE)).plus(DAY.plusDays(1), Map.of("b", ONE));

    assertThat(one.plus(other)).isEqualTo(other.plus(one));
    assertThat(one.plus(other).since(DAY).get("a")).isEqualTo(ONE.plus(ONE));
  }

  @Test
  void whoMakesManyNamespacesHasNoMoreRowsAndNothingIsLost() {
    var ledger = ShadowLedger.EMPTY;
    for (int i = 0; i < 10_000; i++) {
      ledger = ledger.plus(DAY, Map.of("hostile-" + i, ShadowCounts.REFUSED));
    }
    ledger = ledger.plus(DAY, Map.of("hostile-0", ShadowCounts.REFUSED));

    var rows = ledger.since(DAY);
    assertThat(rows).hasSize(ShadowLedger.NAMESPACES + 1);
    assertThat(rows.get("hostile-0").refused()).isEqualTo(2);
    assertThat(rows.values().stream().mapToLong(ShadowCounts::refused).sum()).isEqualTo(10_001);
  }

  @Test
  void whatIsNoNameOfANamespaceHasNoRow() {
    var ledger =
        ShadowLedger.EMPTY
            .plus(DAY, Map.of("x".repeat(100_000), ONE))
            .plus(DAY, Map.of("\"", ONE))
            .plus(DAY, Map.of("", ONE));

    assertThat(ledger.since(DAY)).containsOnlyKeys(ShadowLedger.OTHERS);
  }

  @Test
  void theNewestDaysAreKept() {
    var ledger = ShadowLedger.EMPTY;
    for (int i = 0; i < 100; i++) {
      ledger = ledger.plus(DAY.plusDays(i), Map.of("a", ONE));
    }

    assertThat(ledger.days()).hasSize(ShadowLedger.DAYS).containsKey(DAY.plusDays(99));
  }

  @Test
  void sumsEndAtTheLargestNumber() {
    var most = new ShadowCounts(Long.MAX_VALUE, 0, 0, 0, Long.MAX_VALUE, 0);

    assertThat(most.plus(ONE))
        .isEqualTo(new ShadowCounts(Long.MAX_VALUE, 2, 3, 4, Long.MAX_VALUE, 6));
    assertThatThrownBy(() -> new ShadowCounts(0, 0, 0, 0, 0, -1))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
