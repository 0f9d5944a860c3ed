package io.muster.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.sandbox.AuditLog.Write;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which pods Muster has ended is read from what it asked for. */
final class WritesTest {

  private static Write write(String verb, String resource, String name, int code) {
    return new Write(verb, resource, "bench", name, code);
  }

  @Test
  void deletionsAndEvictionsOfPodsThatWereCarriedOutAreEnds() {
    var writes =
        new Writes(
            List.of(
                write("delete", "pods", "deleted", 200),
                write("delete", "pods", "deleted", 200),
                write("create", "pods/eviction", "evicted", 201),
                write("delete", "pods", "refused", 409),
                write("delete", "gangs", "gang", 200),
                write("create", "pods/binding", "bound", 201),
                write("patch", "pods/status", "told", 200)));

    assertThat(writes.ended()).containsExactly("deleted", "evicted");
  }
}
