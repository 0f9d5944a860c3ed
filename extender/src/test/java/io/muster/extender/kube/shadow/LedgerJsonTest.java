package io.muster.extender.kube.shadow;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.shadow.ShadowCounts;
import io.muster.extender.core.shadow.ShadowLedger;
import java.time.LocalDate;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** A ledger in a ConfigMap is read as it was written, and stays far below what one may hold. */
final class LedgerJsonTest {

  private static final LocalDate DAY = LocalDate.parse("2026-11-25");
  private static final int LARGEST_CONFIG_MAP = 1024 * 1024;

  @Test
  void itIsReadAsItWasWritten() {
    var ledger =
        ShadowLedger.EMPTY
            .plus(DAY, Map.of("a", new ShadowCounts(1, 2, 3, 4, 5, 6), "#", ShadowCounts.REFUSED))
            .plus(DAY.plusDays(1), Map.of("b", ShadowCounts.REFUSED));

    assertThat(LedgerJson.read(LedgerJson.write(ledger))).isEqualTo(ledger);
  }

  @Test
  void whatSomebodyElseHasWrittenThereCountsAsNothing() {
    var data = new HashMap<>(LedgerJson.write(ShadowLedger.EMPTY));
    data.put("2026-11-25", "{\"a\": {\"refused\": 1, \"gangs\": -5, \"whole\": \"x\"}, \"b\": 7}");
    data.put("2026-11-26", "no JSON");
    data.put("note", "{}");

    assertThat(LedgerJson.read(data).since(DAY))
        .isEqualTo(new TreeMap<>(Map.of("a", ShadowCounts.REFUSED, "b", ShadowCounts.NONE)));
  }

  @Test
  void theLargestOneFitsIntoAConfigMap() {
    long most = Long.MAX_VALUE;
    var ledger = ShadowLedger.EMPTY;
    for (int day = 0; day < 2 * ShadowLedger.DAYS; day++) {
      var rows = new TreeMap<String, ShadowCounts>();
      for (int i = 0; i < 2 * ShadowLedger.NAMESPACES; i++) {
        rows.put("%063d".formatted(i), new ShadowCounts(most, most, most, most, most, most));
      }
      ledger = ledger.plus(DAY.plusDays(day), rows);
    }

    int size =
        LedgerJson.write(ledger).entrySet().stream()
            .mapToInt(entry -> entry.getKey().length() + entry.getValue().length())
            .sum();
    assertThat(size).isBetween(LARGEST_CONFIG_MAP / 10, LARGEST_CONFIG_MAP / 2);
  }
}
