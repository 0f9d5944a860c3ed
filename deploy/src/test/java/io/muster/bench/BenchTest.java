package io.muster.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What the command line asks for. */
final class BenchTest {

  private static List<Side> sides(String... arguments) {
    var bench = new Bench();
    new CommandLine(bench).setCaseInsensitiveEnumValuesAllowed(true).parseArgs(arguments);
    return bench.sides();
  }

  @Test
  void whatIsNotSaidIsAsUsualForTheWork() {
    assertThat(sides("fit500")).containsExactly(Side.BARE, Side.PROBE, Side.MUSTER);
    assertThat(sides("contend")).containsExactly(Side.BARE, Side.NATIVE, Side.MUSTER);
  }

  @Test
  void sidesAreThoseNamedInTheirOrder() {
    assertThat(sides("contend", "--sides", "native,muster"))
        .containsExactly(Side.NATIVE, Side.MUSTER);
    assertThat(sides("overload", "--sides=muster", "--gang", "40", "--busy-loops", "2"))
        .containsExactly(Side.MUSTER);
    assertThat(sides("kills", "--kill-sizes", "4,8", "--kills", "3")).hasSize(3);
  }
}
