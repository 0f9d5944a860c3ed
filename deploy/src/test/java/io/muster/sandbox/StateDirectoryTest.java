package io.muster.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StateDirectoryTest {

  @TempDir private Path folder;

  @Test
  void doesNotEmptyAFolderThatNoSandboxMade() throws IOException {
    Files.writeString(folder.resolve("letters.txt"), "dear");

    assertThatThrownBy(() -> new StateDirectory(folder).renew())
        .isInstanceOf(SandboxException.class)
        .hasMessageContaining("was not made by a sandbox");
    assertThat(folder.resolve("letters.txt")).exists();
  }

  @Test
  void killsARecordedProcessAndNoOther() throws IOException {
    var state = renewed();
    var own = new ManagedProcess("own", state, List.of("tail", "-f", state.log("own").toString()));
    own.start();
    var stranger = new ProcessBuilder("sleep", "60").start();
    try {
      Files.writeString(state.pidFile("recycled"), stranger.pid() + "\n");
      Await.until("the pid file", Duration.ofSeconds(10), () -> state.isRunning("own"));

      assertThat(state.killAll()).isEqualTo(1);
      assertThat(state.running()).isEmpty();
      // This JVM takes note of the end of its child a moment after the end itself.
      Await.until("the end to be noted", Duration.ofSeconds(10), () -> !own.isAlive());
      assertThat(stranger.isAlive()).isTrue();
    } finally {
      stranger.destroyForcibly();
      own.kill();
    }
  }

  @Test
  void knowsWhichProcessesHaveEnded() throws IOException {
    var state = renewed();
    var own = new ManagedProcess("own", state, List.of("tail", "-f", state.log("own").toString()));
    own.start();
    try {
      Await.until("the pid file", Duration.ofSeconds(10), () -> state.isRunning("own"));
      assertThat(state.ended()).isEmpty();
      Files.writeString(state.pidFile("muster"), "4194305\n");
      assertThat(state.ended()).containsExactly("muster");
    } finally {
      own.kill();
    }
  }

  @Test
  void keepsASecondUserOut() {
    var state = renewed();
    try (var first = state.lock()) {
      assertThat(first.isHeld()).isTrue();
      assertThatThrownBy(state::lock)
          .isInstanceOf(SandboxException.class)
          .hasMessageContaining("Another run is using the sandbox");
    }
    try (var second = state.lock()) {
      assertThat(second.isHeld()).isTrue();
    }
  }

  private StateDirectory renewed() {
    var state = new StateDirectory(folder.resolve("state"));
    state.renew();
    return state;
  }
}
