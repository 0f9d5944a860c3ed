package io.muster.image;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class OciLayoutTest {

  private static final Instant TIME = Instant.parse("2026-03-01T12:00:00Z");
  private static final ImageConfig CONFIG =
      new ImageConfig(
          "1.0",
          "amd64",
          TIME,
          "65532:65532",
          Map.of("PATH", "/opt/bin"),
          List.of("/opt/bin/program", "--first"),
          "/work",
          Map.of("org.opencontainers.image.version", "1.0"));

  @TempDir private Path scratch;

  @Test
  void unpacksWhatWasWrittenWithModesTimesAndLinks() throws IOException {
    write("layout", aLayer(), new Layer("more").text("opt/data/later", "second layer"));

    var root = RootFilesystem.unpack(scratch.resolve("layout"), scratch.resolve("root"));

    var program = root.folder().resolve("opt/bin/program");
    assertThat(program).hasContent("the program");
    assertThat(permissions(program)).isEqualTo("rwxr-xr-x");
    assertThat(Files.getLastModifiedTime(program)).isEqualTo(FileTime.from(TIME));
    assertThat(Files.readSymbolicLink(root.folder().resolve("opt/link")))
        .isEqualTo(Path.of("/opt/bin/program"));
    assertThat((int) Files.getAttribute(root.folder().resolve("tmp"), "unix:mode") & 07777)
        .isEqualTo(01777);
    assertThat(root.folder().resolve("opt/data/later")).hasContent("second layer");
    assertThat(permissions(root.folder().resolve("opt/data/later"))).isEqualTo("rw-r--r--");
    assertThat(Files.getLastModifiedTime(root.folder().resolve("opt/data")))
        .isEqualTo(FileTime.from(TIME));
    assertThat(root.entryPoint()).containsExactly("/opt/bin/program", "--first");
    assertThat(root.environment()).isEqualTo(Map.of("PATH", "/opt/bin"));
    assertThat(root.user()).isEqualTo("65532:65532");
    assertThat(root.workingDirectory()).isEqualTo("/work");
  }

  @Test
  void theOrderInWhichALayerIsPutTogetherDoesNotShow() throws IOException {
    var first = write("first", aLayer());
    var other = new Layer("program");
    other.put("tmp", new Entry.Folder(01777)).put("opt/link", new Entry.Link("/opt/bin/program"));
    var file = Files.writeString(scratch.resolve("program"), "the program");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
    Files.setLastModifiedTime(file, FileTime.from(TIME.minusSeconds(999)));
    var second = write("second", other.copy(file, "opt/bin/program"));

    assertThat(second).isEqualTo(first);
    assertThat(scratch.resolve("second/index.json"))
        .hasSameBinaryContentAs(scratch.resolve("first/index.json"));
  }

  @Test
  void aByteMoreIsAnotherDigest() throws IOException {
    assertThat(write("first", aLayer()))
        .isNotEqualTo(write("second", aLayer().text("opt/more", "1")));
  }

  @Test
  void indexManifestAndConfigurationSayWhatTheyHold() throws IOException {
    var digest = write("layout", aLayer());
    var json = new ObjectMapper();

    var index = json.readTree(scratch.resolve("layout/index.json").toFile());
    var image = index.at("/manifests/0");
    assertThat(image.at("/digest").textValue()).isEqualTo(digest);
    assertThat(image.at("/platform/architecture").textValue()).isEqualTo("amd64");
    assertThat(image.at("/annotations/org.opencontainers.image.ref.name").textValue())
        .isEqualTo("1.0");
    var manifest = json.readTree(blob(digest).toFile());
    assertThat(manifest.at("/layers/0/size").longValue())
        .isEqualTo(Files.size(blob(manifest.at("/layers/0/digest").textValue())));
    var config = json.readTree(blob(manifest.at("/config/digest").textValue()).toFile());
    assertThat(config.at("/created").textValue()).isEqualTo("2026-03-01T12:00:00Z");
    assertThat(config.at("/rootfs/diff_ids/0").textValue())
        .matches("sha256:[0-9a-f]{64}")
        .isNotEqualTo(manifest.at("/layers/0/digest").textValue());
    assertThat(config.at("/config/Labels/org.opencontainers.image.version").textValue())
        .isEqualTo("1.0");
  }

  @Test
  void aDamagedBlobIsRefused() throws IOException {
    var digest = write("layout", aLayer());
    var manifest = new ObjectMapper().readTree(blob(digest).toFile());
    var layer = blob(manifest.at("/layers/0/digest").textValue());
    var bytes = Files.readAllBytes(layer);
    bytes[bytes.length / 2] ^= 1;
    Files.write(layer, bytes);

    assertThatThrownBy(
            () -> RootFilesystem.unpack(scratch.resolve("layout"), scratch.resolve("root")))
        .isInstanceOf(ImageException.class)
        .hasMessageContaining("is damaged");
  }

  @Test
  void nothingLandsOutsideTheFolder() throws IOException {
    write("upwards", new Layer("bad").text("../outside", "no"));
    write(
        "linked",
        new Layer("bad").put("away", new Entry.Link(scratch.toString())),
        new Layer("worse").put("away/outside", new Entry.Folder(0755)));

    for (String layout : List.of("upwards", "linked")) {
      assertThatThrownBy(() ->
              RootFilesystem.unpack(scratch.resolve(layout), scratch.resolve("root-" + layout)))
          .as(layout)
          .isInstanceOf(ImageException.class);
    }
    assertThat(scratch.resolve("outside")).doesNotExist();
  }

  private static Layer aLayer() throws IOException {
    return new Layer("program")
        .put(
            "opt/bin/program",
            new Entry.Content(0755, Entry.Source.of("the program".getBytes(US_ASCII))))
        .put("opt/link", new Entry.Link("/opt/bin/program"))
        .put("tmp", new Entry.Folder(01777));
  }

  private String write(String name, Layer... layers) throws IOException {
    return new OciLayout(scratch.resolve(name)).write(CONFIG, List.of(layers));
  }

  private Path blob(String digest) {
    return new Blobs(scratch.resolve("layout/blobs/sha256")).file(digest);
  }

  private static String permissions(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }
}
