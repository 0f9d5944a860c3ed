package io.muster.deploy.board.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileNotFoundException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class DesktopTest {

  private static final String PAGE = "http://127.0.0.1:1/?key=k";

  private final List<List<String>> started = new ArrayList<>();

  private boolean shows(String system, Map<String, String> environment) {
    return new Desktop(system, environment, started::add).show(PAGE);
  }

  @Test
  void thePageIsShownWhereThereIsADesktop() {
    assertThat(shows("Linux", Map.of("DISPLAY", ":0"))).isTrue();
    assertThat(shows("Linux", Map.of("WAYLAND_DISPLAY", "wayland-0"))).isTrue();
    assertThat(shows("Mac OS X", Map.of())).isTrue();

    assertThat(started)
        .containsExactly(
            List.of("xdg-open", PAGE), List.of("xdg-open", PAGE), List.of("open", PAGE));
  }

  @Test
  void nothingIsStartedWhereNobodySits() {
    assertThat(shows("Linux", Map.of())).isFalse();
    assertThat(shows("Windows 11", Map.of())).isFalse();
    assertThat(shows("Linux", Map.of("DISPLAY", ":10", "SSH_CONNECTION", "10.0.0.1"))).isFalse();
    assertThat(shows("Mac OS X", Map.of("SSH_CONNECTION", "10.0.0.1"))).isFalse();

    assertThat(started).isEmpty();
  }

  @Test
  void aDesktopWithoutTheProgramIsAsNone() {
    Desktop.Programs none =
        command -> {
          throw new FileNotFoundException(command.getFirst());
        };

    assertThat(new Desktop("Linux", Map.of("DISPLAY", ":0"), none).show(PAGE)).isFalse();
  }
}
