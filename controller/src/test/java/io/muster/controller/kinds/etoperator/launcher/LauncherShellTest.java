package io.muster.controller.kinds.etoperator.launcher;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whom a launcher reaches out to, by the command lines of its processes. */
final class LauncherShellTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ssh -o PasswordAuthentication=no -o StrictHostKeyChecking=no j-worker-1 cd /; train",
        "/usr/bin/ssh -x j-worker-1 orted",
        "ssh -p 2222 root@j-worker-1 train",
        "/bin/sh /etc/mpi/kubexec.sh j-worker-1 cd /; train",
        "/bin/sh -c /usr/bin/ssh -q j-worker-1 train"
      })
  void launchersOfAllKindsAreRecognised(String line) {
    assertThat(LauncherShell.attached("sh -c x\n" + line + " \n\n", List.of("j-worker-1")))
        .isEqualTo(Map.of("j-worker-1", true));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ssh j-worker-10 train",
        "ssh j-worker-2 NCCL_HOSTS=j-worker-1,j-worker-2 train",
        "/usr/sbin/sshd j-worker-1",
        "/opt/kube/kubectl get pod j-worker-1",
        "python train.py j-worker-1"
      })
  void whatOnlyLooksLikeItIsNot(String line) {
    assertThat(LauncherShell.attached(line + "\n", List.of("j-worker-1")))
        .isEqualTo(Map.of("j-worker-1", false));
  }

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
  void eachWorkerIsToldOf() {
    var lines = "ssh j-worker-0 a\nssh j-worker-2 b\n";
    assertThat(LauncherShell.attached(lines, List.of("j-worker-0", "j-worker-1", "j-worker-2")))
        .isEqualTo(Map.of("j-worker-0", true, "j-worker-1", false, "j-worker-2", true));
  }
}
