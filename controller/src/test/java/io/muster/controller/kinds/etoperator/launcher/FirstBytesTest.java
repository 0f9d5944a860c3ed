package io.muster.controller.kinds.etoperator.launcher;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What is kept of what is printed in a launcher. */
final class FirstBytesTest {

  @Test
  void whatIsMoreIsDropped() {
    var kept = new FirstBytes(5);
    for (var piece : new String[] {"abc", "", "def", "ghi"}) {
      var bytes = piece.getBytes(UTF_8);
      kept.write(bytes, 0, bytes.length);
    }
    kept.write('j');
    assertThat(kept.text()).isEqualTo("abcde");
  }
}
