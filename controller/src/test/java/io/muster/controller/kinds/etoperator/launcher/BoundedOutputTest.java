package io.muster.controller.kinds.etoperator.launcher;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** A launcher that prints without end. */
final class BoundedOutputTest {

  @Test
  void whatIsTooMuchIsSaidOnceAndNotReadOn() throws IOException {
    var passedOn = new FirstBytes(100);
    var said = new AtomicInteger();
    var output = new BoundedOutput(passedOn, 5, said::incrementAndGet);
    output.write("abc".getBytes(UTF_8));
    output.write('d');
    output.write('e');
    assertThat(said).hasValue(0);

    output.write("fg".getBytes(UTF_8));
    output.write("hi".getBytes(UTF_8));
    output.write('j');
    assertThat(passedOn.text()).isEqualTo("abcde");
    assertThat(said).hasValue(1);
  }
}
