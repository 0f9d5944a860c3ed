package io.muster.extender.core.gang.dialect;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class GoDurationTest {

  @ParameterizedTest
  @CsvSource({
    "300s, PT300S",
    "10m, PT10M",
    "1h30m, PT1H30M",
    "1.5h, PT1H30M",
    ".5s, PT0.5S",
    "1.s, PT1S",
    "+2s, PT2S",
    "-5s, PT-5S",
    "0, PT0S",
    "-0, PT0S",
    "250ms, PT0.25S",
    "1m1ms, PT1M0.001S",
    "3us, PT0.000003S",
    "3µs, PT0.000003S",
    "3μs, PT0.000003S",
    "7ns, PT0.000000007S",
    "1.9ns, PT0.000000001S"
  })
  void readsWhatGoReads(String text, Duration expected) {
    assertThat(GoDuration.parse(text)).contains(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "5",
        "s",
        ".s",
        "+",
        "-",
        "1d",
        "1mh",
        "1 s",
        " 1s",
        "1s ",
        "1h-1m",
        "PT5M",
        "1,5h",
        "9999999999h",
        "٣s",
        "1e3s"
      })
  void refusesWhatGoRefuses(String text) {
    assertThat(GoDuration.parse(text)).isEmpty();
  }

  @Test
  void refusesLongTextAtOnce() {
    assertThat(GoDuration.parse("1".repeat(1_000_000) + "s")).isEmpty();
  }
}
