package io.muster.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.sandbox.Command;
import io.muster.sandbox.Layout;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The first command of the README does what it says. */
final class DemoIT {

  @Test
  void allFourActsShowWhatTheyClaim() {
    var demo = Layout.current().deploy().resolve("demo").toString();

    var played = Command.run(Duration.ofMinutes(8), List.of(demo));

    assertThat(played.exitCode()).as(played.output()).isZero();
  }
}
