package io.muster.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.sandbox.StateDirectory;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import picocli.CommandLine;

/** {@code deploy/bench overload}, played small. */
@Tag("long")
@ResourceLock(StateDirectory.OF_BENCH)
final class OverloadIT {

  @Test
  void gangsComeToBeWholeBesideBusyLoopsAndAtTheRateOfTheJobController() {
    var sizes =
        CommandLine.populateCommand(
            new Overload.Sizes(),
            "--busy-loops=2",
            "--nodes=8",
            "--each=1",
            "--gang=60",
            "--limit=180");
    var verdict = new Overload(sizes).measure(new Pairs.Plan(List.of(Side.MUSTER), 1, 0, 1));

    assertThat(verdict.holds()).as(verdict.line()).contains(true);
    assertThat(verdict.more()).containsEntry("ended", 0.0);
    assertThat(verdict.more().get("besideBusyLoops")).isPositive();
    // 30 at once, the others at 20 a second.
    assertThat(verdict.values().get(Side.MUSTER)).isGreaterThan(1.5);
    assertThat(ProcessHandle.allProcesses())
        .as("loops that still spin")
        .noneMatch(process ->
            process
                .info()
                .commandLine()
                .filter(line -> line.contains("while kill -0") && line.contains("sandbox/bench"))
                .isPresent());
  }
}
