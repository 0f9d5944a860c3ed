package io.muster.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.sandbox.StateDirectory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

/** {@code deploy/bench kills}, played small. */
@Tag("long")
@ResourceLock(StateDirectory.OF_BENCH)
final class KillsIT {

  @ParameterizedTest
  @EnumSource(names = {"MUSTER", "MUSTER_NATIVE"})
  void noGangStaysInPartAndNoPodIsLostThoughEachProcessIsKilledTwice(Side side) {
    var sizes =
        CommandLine.populateCommand(
            new Kills.Sizes(),
            "--kills=6",
            "--pause=2",
            "--kill-nodes=6",
            "--kill-each=2",
            "--kill-sizes=4,8",
            "--settle=300");
    var verdict = new Kills(sizes).measure(1, side);

    assertThat(verdict.holds()).as(verdict.line()).contains(true);
    assertThat(verdict.more()).containsEntry("kills", 6.0).containsEntry("lost", 0.0);
    assertThat(verdict.more().get("gangs")).isPositive();
  }
}
