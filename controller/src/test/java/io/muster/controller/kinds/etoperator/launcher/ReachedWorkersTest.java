package io.muster.controller.kinds.etoperator.launcher;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whom a launcher reaches out to, by the command lines of its processes. */
final class ReachedWorkersTest {

  private static Map<String, Boolean> attached(String processes, List<String> workers) {
    var reached = new ReachedWorkers(workers);
    print(reached, processes);
    return reached.found();
  }

  private static void print(ReachedWorkers reached, String text) {
    var bytes = text.getBytes(UTF_8);
    reached.write(bytes, 0, bytes.length);
  }

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
    assertThat(attached("sh -c x\n" + line + " \n\n", List.of("j-worker-1")))
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
    assertThat(attached(line + "\n", List.of("j-worker-1"))).isEqualTo(Map.of("j-worker-1", false));
  }

  @Test
  void eachWorkerIsToldOf() {
    var lines = "ssh j-worker-0 a\nssh j-worker-2 b\n";
    assertThat(attached(lines, List.of("j-worker-0", "j-worker-1", "j-worker-2")))
        .isEqualTo(Map.of("j-worker-0", true, "j-worker-1", false, "j-worker-2", true));
  }

  @Test
  void whatIsPrintedInPiecesIsReadAsAWhole() {
    var reached = new ReachedWorkers(List.of("j-worker-0", "j-worker-1"));
    for (var piece : List.of("sh -c x\nssh j-wor", "ker-1", " train\nssh", " j-worker-0")) {
      print(reached, piece);
    }
    assertThat(reached.found()).isEqualTo(Map.of("j-worker-0", true, "j-worker-1", true));
  }

  /** Whoever says so at the beginning of a line reaches out to it, however long that is. */
  @Test
  void aLineWithoutEndIsReadAsFarAsItMatters() {
    var reached = new ReachedWorkers(List.of("j-worker-0", "j-worker-1"));
    print(reached, "ssh j-worker-1 ");
    var piece = "x".repeat(1 << 20);
    for (int i = 0; i < 64; i++) {
      print(reached, piece);
    }
    print(reached, "\nssh j-worker-0\n");
    assertThat(reached.found()).isEqualTo(Map.of("j-worker-0", true, "j-worker-1", true));
  }
}
