package io.muster.bench;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** {@code deploy/bench kills}, played small. */
@Tag("long")
final class KillsIT {

  @Test
  void noGangStaysInPartAndNoPodIsLostThoughEachProcessIsKilledTwice() {
    var sizes =
        CommandLine.populateCommand(
            new Kills.Sizes(),
            "--kills=6",
            "--pause=2",
            "--kill-nodes=6",
            "--kill-each=2",
            "--kill-sizes=4,8",
            "--settle=300");
    var verdict = new Kills(sizes).measure(1, Side.MUSTER);

    assertThat(verdict.holds()).as(verdict.line()).contains(true);
    assertThat(verdict.more()).containsEntry("kills", 6.0).containsEntry("lost", 0.0);
    assertThat(verdict.more().get("gangs")).isPositive();
  }
}
