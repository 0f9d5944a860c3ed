package io.muster.deploy.serve;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ServeCommandTest {

  @Test
  void isPlainAloneAndWithAFile(@TempDir Path folder) throws Exception {
    assertThat(ServeCommand.plain(List.of("serve"))).isPresent();
    var missing = folder.resolve("muster.yaml").toString();

    var named = ServeCommand.plain(List.of("serve", "--config", missing)).orElseThrow();

    // A file that is not there: it was read what the arguments name.
    assertThat(named.call()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "board",
        "serve --help",
        "serve --config",
        "serve --confg a.yaml",
        "serve --config a.yaml more",
        "--help serve"
      })
  void leavesAllElseToPicocli(String arguments) {
    assertThat(ServeCommand.plain(List.of(arguments.split(" ", -1)))).isEmpty();
  }
}
