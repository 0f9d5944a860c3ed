package io.muster.controller.kinds.etoperator.launcher;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.StatusBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a launcher is told. */
final class LauncherShellTest {

  /** Of a job as large as may be, with the longest name. */
  @Test
  void aLongHostListIsPassedInArgumentsThatLinuxTakes() throws Exception {
    var list = ("j".repeat(51) + "-worker-1000 slots=8\n").repeat(5_000);
    var pieces = LauncherShell.pieces(list);
    assertThat(String.join("", pieces)).isEqualTo(list);
    var command = new ArrayList<>(List.of("sh", "-c", "printf '%s' \"$@\" | wc -c", "sh"));
    command.addAll(pieces);
    var counted = new ProcessBuilder(command).start().getInputStream().readAllBytes();
    assertThat(new String(counted, US_ASCII).strip()).isEqualTo(Integer.toString(list.length()));
    assertThat(LauncherShell.pieces("")).isEmpty();
  }

  @Test
  void aListIsReplacedWhereItsFolderIs(@TempDir Path folder) throws Exception {
    var list = folder.resolve("hostfile");
    Files.writeString(list, "j-worker-0 slots=1\n");
    assertThat(replaced(list)).isEqualTo("j-worker-1 slots=1\n");
    assertThat(list).content().isEqualTo("j-worker-1 slots=1\n");
  }

  /** A job that is taken over from an et-operator that knew nothing of DeepSpeed. */
  @Test
  void aLauncherWithoutTheFolderIsToldAllTheSame(@TempDir Path folder) throws Exception {
    assertThat(replaced(folder.resolve("job/hostfile"))).isEqualTo("j-worker-1 slots=1\n");
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void aFailedCommandSaysWhatIsKnownOfIt() {
    var end = new LauncherShell.ExecEnd();
    assertThat(end.described(2, "no such host\n")).isEqualTo("exit code 2: no such host\n");
    assertThat(end.described(2, "\n")).isEqualTo("exit code 2");
    assertThat(end.described(124, "")).contains("ran into its timeout");
    assertThat(end.described(LauncherShell.ExecEnd.TOO_MUCH, "y\n"))
        .isEqualTo("more was printed than is read: y\n");
    end.onExit(-1, new StatusBuilder().withMessage("container not found").build());
    assertThat(end.described(-1, "")).isEqualTo("exit code unknown (container not found)");
    end.onExit(-1, new StatusBuilder().build());
    assertThat(end.described(-1, "")).isEqualTo("exit code unknown");
  }

  private static String replaced(Path list) throws Exception {
    var command = LauncherShell.replacingIfThere(list.toString());
    var shell = new ProcessBuilder("sh", "-c", command, "sh", "j-worker-1 slots=1\n").start();
    return new String(shell.getInputStream().readAllBytes(), US_ASCII);
  }
}
