package io.muster.deploy.board.history;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.time.InstantSource;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class HistoryHandlerTest {

  private static HistoryHandler with(String grafana) {
    return new HistoryHandler(
        new History(), InstantSource.system(), Optional.of(URI.create(grafana)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"https://grafana.example.org/d/muster", "HTTP://10.0.0.1:3000"})
  void anAddressOfTheWebIsTaken(String grafana) {
    assertThatCode(() -> with(grafana)).doesNotThrowAnyException();
  }

  @ParameterizedTest
  @ValueSource(strings = {"javascript:alert(1)", "/d/muster", "ftp://example.org", "https:muster"})
  void anyOtherAddressIsRefused(String grafana) {
    assertThatThrownBy(() -> with(grafana))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("must begin with https://");
  }
}
