package io.muster.extender.kube.write;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.muster.extender.port.WriteMeter.Kind;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class WriteFailuresTest {

  private Instant now = Instant.EPOCH;
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private final WriteFailures failures;

  WriteFailuresTest() {
    var logger = new LoggerContext().getLogger("writes");
    logger.addAppender(lines);
    lines.start();
    failures = new WriteFailures(logger, () -> now);
  }

  @Test
  void anApiServerThatIsAwayIsALineASecondForEachKind() {
    for (int i = 0; i < 1_000; i++) {
      failures.add(Kind.BIND, "ml/g", "no answer");
    }
    failures.add(Kind.RECORD, "ml/g", "no answer");
    now = now.plusSeconds(1);
    failures.add(Kind.BIND, "ml/h", "slow down");

    assertThat(lines.list)
        .extracting(line -> line.getKeyValuePairs().toString())
        .containsExactly(
            "[write=\"BIND\", gang=\"ml/g\", message=\"no answer\"]",
            "[write=\"RECORD\", gang=\"ml/g\", message=\"no answer\"]",
            "[write=\"BIND\", gang=\"ml/h\", message=\"slow down\", leftOut=\"999\"]");
  }

  @Test
  void whatSomebodyElseMadeLongIsCut() {
    failures.add(Kind.UNGATE, "ml/g", "denied ".repeat(20_000));

    assertThat(lines.list.getFirst().getKeyValuePairs().toString()).hasSizeLessThan(1_200);
  }
}
