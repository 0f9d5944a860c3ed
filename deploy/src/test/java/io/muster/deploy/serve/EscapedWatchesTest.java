package io.muster.deploy.serve;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class EscapedWatchesTest {

  private static final String EVENT = "{\"note\":\"%s\"}\n";

  @ParameterizedTest
  @ValueSource(strings = {"plain", "größer", "大模型预训练", "🚀 über \\\"q\\\"", "ends with é"})
  void textReadsTheSameHoweverItIsCut(String text) throws IOException {
    var bytes = EVENT.formatted(text).getBytes(UTF_8);
    var random = new Random(text.hashCode());
    for (int round = 0; round < 50; round++) {
      var stream = new EscapedWatches.Stream();
      var read = new StringBuilder();
      for (int from = 0; from < bytes.length; ) {
        int to = Math.min(bytes.length, from + 1 + random.nextInt(6));
        read.append(asTheClientDecodes(stream.escaped(ByteBuffer.wrap(bytes, from, to - from))));
        from = to;
      }

      assertThat(read.chars()).allMatch(next -> next > 0 && next < 0x80);
      assertThat(read).endsWith("\n");
      assertThat(new ObjectMapper().readTree(read.toString()).get("note").asText())
          .isEqualTo(new ObjectMapper().readTree(bytes).get("note").asText());
    }
  }

  @Test
  void whatIsAsciiIsHandedOnAsItIs() {
    var piece = ByteBuffer.wrap(EVENT.formatted("plain").getBytes(UTF_8));

    assertThat(new EscapedWatches.Stream().escaped(piece)).isSameAs(piece);
  }

  /** The whole array, whatever its limit. */
  private static char[] asTheClientDecodes(ByteBuffer piece) {
    return UTF_8.decode(piece).array();
  }
}
