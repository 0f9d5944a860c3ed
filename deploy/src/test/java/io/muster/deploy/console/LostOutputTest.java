package io.muster.deploy.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * How a command ends whose answer cannot be written; of a process, whose System.out is the real
 * one.
 */
@Timeout(60)
final class LostOutputTest {

  private static final String POD =
      """
      apiVersion: v1
      kind: Pod
      metadata: {name: p}
      spec: {containers: [{name: c, image: i}]}
      """;

  @TempDir Path folder;

  private Path pods;

  @BeforeEach
  void aPod() throws IOException {
    pods = Files.writeString(folder.resolve("pods.yaml"), POD);
  }

  private ProcessBuilder mutate() {
    return new ProcessBuilder(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            "io.muster.deploy.Main",
            "mutate",
            "-f",
            pods.toString()));
  }

  private static String said(Process process) throws IOException {
    return new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  @Test
  void aFullDiskIsTold() throws IOException, InterruptedException {
    var process = mutate().redirectOutput(new File("/dev/full")).start();

    assertThat(said(process))
        .contains("muster: standard output cannot be written: what is there is not the whole");
    assertThat(process.waitFor()).isEqualTo(2);
  }

  @Test
  void aPipeThatIsClosedIsNoFault() throws IOException, InterruptedException {
    var process = mutate().start();
    process.getInputStream().close();

    assertThat(said(process)).isEmpty();
    assertThat(process.waitFor()).isEqualTo(141);
  }

  @Test
  void anAnswerThatIsReadIsWell() throws IOException, InterruptedException {
    var process = mutate().start();

    assertThat(new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
        .contains("name: \"p\"");
    assertThat(process.waitFor()).isZero();
  }
}
