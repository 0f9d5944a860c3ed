package io.muster.image;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.muster.sandbox.Command;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** kubectl's plugin as deploy/krew makes it, unpacked and linked as krew does that. */
@Tag("long")
final class KrewIT {

  private static final Duration LIMIT = Duration.ofMinutes(5);

  @TempDir private static Path folder;
  private static JsonNode manifest;

  @BeforeAll
  static void make() throws IOException {
    run(Map.of(), "./krew", "--to", folder.toString(), "--base-url", "https://example.org/v1/");
    manifest = new YAMLMapper().readTree(folder.resolve("muster.yaml").toFile());
  }

  private static String run(Map<String, String> environment, String... command) {
    var ran = Command.run(LIMIT, environment, List.of(command));
    assertThat(ran.exitCode()).as(ran.output()).isZero();
    return ran.output();
  }

  private static JsonNode platform() {
    var platforms = manifest.path("spec").path("platforms");
    assertThat(platforms.size()).isEqualTo(1);
    return platforms.get(0);
  }

  private static Path archive() {
    var uri = platform().path("uri").asText();
    assertThat(uri).startsWith("https://example.org/v1/muster-linux-");
    return folder.resolve(uri.substring(uri.lastIndexOf('/') + 1));
  }

  @Test
  void theManifestHasWhatKrewAsksFor() throws IOException, NoSuchAlgorithmException {
    assertThat(manifest.path("apiVersion").asText())
        .isEqualTo("krew.googlecontainertools.github.com/v1alpha2");
    assertThat(manifest.path("kind").asText()).isEqualTo("Plugin");
    assertThat(manifest.path("metadata").path("name").asText()).isEqualTo("muster");
    var spec = manifest.path("spec");
    assertThat(spec.path("version").asText()).matches("v\\d+\\.\\d+\\.\\d+(-[A-Za-z0-9.]+)?");
    assertThat(spec.path("shortDescription").asText()).hasSizeBetween(10, 50);
    assertThat(platform().path("selector").path("matchLabels").path("os").asText())
        .isEqualTo("linux");
    var digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(archive()));
    assertThat(platform().path("sha256").asText()).isEqualTo(HexFormat.of().formatHex(digest));
  }

  /** krew refuses an archive with anything else. */
  @Test
  void theArchiveHasFilesAndFoldersAlone() {
    assertThat(run(Map.of(), "tar", "-tvzf", archive().toString()).lines())
        .hasSizeGreaterThan(50)
        .allMatch(line -> line.startsWith("-") || line.startsWith("d"));
  }

  @Test
  void theProgramRunsByALinkWithoutAnyOtherJava() throws IOException {
    var store = Files.createDirectories(folder.resolve("store/muster"));
    run(Map.of(), "tar", "-xzf", archive().toString(), "-C", store.toString());
    var bin = Files.createDirectories(folder.resolve("bin"));
    var link =
        Files.createSymbolicLink(
            bin.resolve("kubectl-muster"),
            Path.of("../store/muster").resolve(platform().path("bin").asText()));

    var nothing = Map.of("JAVA_HOME", "/nowhere", "PATH", "/usr/bin:/bin");
    assertThat(run(nothing, link.toString(), "--version"))
        .startsWith("muster " + manifest.path("spec").path("version").asText().substring(1));
    assertThat(run(nothing, link.toString(), "explain", "--help")).contains("gang");
  }
}
