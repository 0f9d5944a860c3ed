package io.muster.image;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.muster.sandbox.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What deploy/image/export puts into its file; what is in the images does not matter to it. */
final class ExportTest {

  private static final Duration LIMIT = Duration.ofSeconds(60);

  @TempDir private Path folder;
  private Path layout;

  @BeforeEach
  void makeALayout() throws IOException {
    layout = folder.resolve("layout");
    Files.createDirectories(layout.resolve("blobs/sha256"));
    Files.writeString(layout.resolve("oci-layout"), "{\"imageLayoutVersion\":\"1.0.0\"}");
    Files.writeString(layout.resolve("index.json"), "{\"schemaVersion\":2,\"manifests\":[]}");
    Files.writeString(layout.resolve("blobs/sha256/one"), "a blob");
  }

  private Command.Result export(String... arguments) {
    var command = new ArrayList<>(List.of("image/export", "--image", layout.toString()));
    command.addAll(List.of(arguments));
    return Command.run(LIMIT, command);
  }

  private Path written(String name, String... arguments) {
    var file = folder.resolve(name);
    var all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--to", file.toString()));
    var ran = export(all.toArray(String[]::new));
    assertThat(ran.exitCode()).as(ran.output()).isZero();
    return file;
  }

  private String ran(String script, Path... arguments) {
    var command = new ArrayList<>(List.of("bash", "-euc", script, "test"));
    for (var argument : arguments) {
      command.add(argument.toString());
    }
    var ran = Command.run(LIMIT, command);
    assertThat(ran.exitCode()).as(ran.output()).isZero();
    return ran.output();
  }

  @Test
  void bothImagesTheChartAndTheirChecksumsAreInOneFile() throws IOException {
    var file = written("all.tar", "--scheduler", layout.toString());

    var unpacked = Files.createDirectory(folder.resolve("unpacked"));
    var checked =
        ran("tar -xf \"$1\" -C \"$2\"; cd \"$2\"; sha256sum -c SHA256SUMS", file, unpacked);
    assertThat(checked.lines())
        .allMatch(line -> line.endsWith(": OK"))
        .contains(
            "images/muster/blobs/sha256/one: OK",
            "images/kube-scheduler/index.json: OK",
            "images.txt: OK",
            "muster-0.1.0.tgz: OK");
    // All but the list of checksums is in it.
    assertThat(ran("find \"$1\" -type f | wc -l", unpacked).strip())
        .isEqualTo(Long.toString(checked.lines().count() + 1));
    assertThat(unpacked.resolve("images/muster/blobs/sha256/one"))
        .hasSameBinaryContentAs(layout.resolve("blobs/sha256/one"));
    var chart = ran("tar -xzOf \"$1/muster-0.1.0.tgz\" muster/values.yaml", unpacked);
    assertThat(chart).isEqualTo(Files.readString(Path.of("chart/muster/values.yaml"), UTF_8));
  }

  @Test
  void theSameInputsGiveTheSameBytes() {
    var one = written("one.tar", "--no-scheduler");
    ran("touch -d 2001-01-01 \"$1/index.json\"", layout);

    assertThat(written("other.tar", "--no-scheduler")).hasSameBinaryContentAs(one);
    assertThat(ran("tar -tf \"$1\"", one)).doesNotContain("kube-scheduler");
  }

  @Test
  void whereNothingSaysWhereTheSchedulerComesFromNothingIsWritten() {
    var ran = export("--to", folder.resolve("none.tar").toString());

    assertThat(ran.exitCode()).isEqualTo(2);
    assertThat(ran.output()).contains("--no-scheduler if the mode is not \"second\"");
    assertThat(folder.resolve("none.tar")).doesNotExist();
  }

  @Test
  void whatIsNoImageIsRefused() throws IOException {
    Files.delete(layout.resolve("index.json"));
    var ran = export("--no-scheduler", "--to", folder.resolve("none.tar").toString());

    assertThat(ran.exitCode()).isEqualTo(2);
    assertThat(ran.output()).contains("is no OCI image layout", "run deploy/image/build");
    assertThat(folder.resolve("none.tar")).doesNotExist();
  }
}
