package io.muster.deploy.scheduler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SchedulerFilesTest {

  @TempDir private Path folder;
  private Path secret;
  private Path config;
  private Path to;
  private SchedulerFiles files;

  @BeforeEach
  void mount() throws IOException {
    secret = Files.createDirectory(folder.resolve("secret"));
    config = Files.createDirectory(folder.resolve("config"));
    to = folder.resolve("host").resolve("muster");
    write("one");
    Files.writeString(config.resolve("scheduler-config.yaml"), "kind: K\n");
    files = new SchedulerFiles(List.of(secret, config), to);
  }

  private void write(String version) throws IOException {
    for (var name : List.of("ca.crt", "tls.crt", "tls.key")) {
      Files.writeString(secret.resolve(name), version + " " + name);
    }
    // As the kubelet keeps a mount.
    Files.createDirectories(secret.resolve("..data"));
  }

  @Test
  void copiesWhatIsMountedForRootAlone() throws IOException {
    assertThat(files.copy()).isTrue();

    assertThat(to.resolve("tls.key")).hasContent("one tls.key");
    assertThat(to.resolve("scheduler-config.yaml")).hasContent("kind: K\n");
    for (var name : List.of("ca.crt", "tls.crt", "tls.key", "scheduler-config.yaml")) {
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(to.resolve(name))))
          .isEqualTo("rw-------");
    }
  }

  @Test
  void writesOnlyWhenSomethingHasChanged() throws IOException {
    files.copy();
    assertThat(files.copy()).isFalse();

    write("two");

    assertThat(files.copy()).isTrue();
    assertThat(to.resolve("tls.crt")).hasContent("two tls.crt");
    assertThat(files.copy()).isFalse();
  }

  /** A reader between any two steps sees a certificate and its own key. */
  @Test
  void allFilesChangeInOneStep() throws IOException {
    files.copy();
    write("two");
    files.copy();

    var data = Files.readSymbolicLink(to.resolve("..data"));
    for (var name : List.of("ca.crt", "tls.crt", "tls.key")) {
      assertThat(Files.readSymbolicLink(to.resolve(name))).isEqualTo(Path.of("..data", name));
    }
    try (var entries = Files.list(to)) {
      assertThat(entries.map(entry -> entry.getFileName().toString()).toList())
          .containsExactlyInAnyOrder(
              "..data", data.toString(), "ca.crt", "tls.crt", "tls.key", "scheduler-config.yaml");
    }
  }

  /** Put there by hand before, as the steps for an installation without this said. */
  @Test
  void plainFilesOfTheSameNameAreReplaced() throws IOException {
    Files.createDirectories(to);
    Files.writeString(to.resolve("tls.key"), "by hand");

    assertThat(files.copy()).isTrue();

    assertThat(to.resolve("tls.key")).hasContent("one tls.key");
  }

  @Test
  void aFolderThatCannotBeWrittenIsNamed() throws IOException {
    Files.createDirectories(to.getParent());
    Files.writeString(to, "a file");

    assertThatThrownBy(files::copy)
        .isInstanceOfSatisfying(
            IOException.class, e -> assertThat(SchedulerFiles.reason(e)).isNotBlank());
  }
}
