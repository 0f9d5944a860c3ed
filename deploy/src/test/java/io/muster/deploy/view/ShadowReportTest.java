package io.muster.deploy.view;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import io.muster.extender.core.shadow.ShadowCounts;
import io.muster.extender.core.shadow.ShadowLedger;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How what was counted in shadow is told. */
final class ShadowReportTest {

  private static final LocalDate LAST = LocalDate.parse("2026-11-25");
  private static final ShadowLedger LEDGER =
      ShadowLedger.EMPTY
          .plus(
              LAST.minusDays(7), Map.of("dlrover", new ShadowCounts(100, 100, 100, 100, 100, 100)))
          .plus(LAST.minusDays(6), Map.of("dlrover", new ShadowCounts(34, 31, 3, 9, 61_920, 0)))
          .plus(LAST, Map.of("notebooks", new ShadowCounts(7, 7, 0, 0, 0, 2)));

  private static ShadowReport week(ShadowLedger ledger) {
    return ShadowReport.of(ledger, LAST.minusDays(6), LAST);
  }

  @Test
  void itIsTheOneOfTheDocument() throws IOException {
    var document = Files.readString(Path.of("docs/namespaces.md"));

    assertThat(document).contains(String.join("\n", week(LEDGER).lines()));
  }

  @Test
  void whereNothingWasCountedItSaysWhatIsMissing() {
    assertThat(week(ShadowLedger.EMPTY).lines())
        .first()
        .isEqualTo(
            "2026-11-19 to 2026-11-25 (days of UTC): nothing was counted: no gang was seen in a"
                + " namespace in shadow");
  }

  @Test
  void programsGetSecondsAndATotal() {
    var json = new JsonMapper().valueToTree(week(LEDGER).document());

    assertThat(json.path("from").asText()).isEqualTo("2026-11-19");
    assertThat(json.path("total").path("gangs").asInt()).isEqualTo(41);
    assertThat(json.path("namespaces").path("dlrover").path("deviceSeconds").asInt())
        .isEqualTo(61_920);
  }
}
