package io.muster.image;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.muster.image.ConfinedProcess.Network;
import io.muster.sandbox.Command;
import io.muster.sandbox.Layout;
import io.muster.sandbox.StateDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * The image as {@code deploy/image/build} makes it: what is in it, and that it runs as a cluster
 * would run it. Needs root or user namespaces, as the tests of job launchers do.
 */
@Tag("long")
@ResourceLock(StateDirectory.OF_BENCH)
final class ImageIT {

  private static final Duration SERVE_LIMIT = Duration.ofMinutes(3);
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** What may be executed; all else with that bit is a library. */
  private static final List<String> PROGRAMS =
      List.of(
          "opt/jre/bin/java",
          "opt/jre/bin/keytool",
          "opt/jre/bin/rmiregistry",
          "opt/jre/lib/jexec",
          "opt/jre/lib/jspawnhelper");

  private static final String POD =
      """
      apiVersion: v1
      kind: Pod
      metadata:
        name: worker
        annotations:
          muster.io/gang-name: training
          muster.io/gang-min: "1"
      spec:
        containers:
        - name: main
          image: any
      """;

  @TempDir private static Path scratch;
  private static Path made;
  private static RootFilesystem root;

  @BeforeAll
  static void build() {
    made = scratch.resolve("made");
    BuildScript.run(made);
    root = RootFilesystem.unpack(made.resolve("oci"), scratch.resolve("root"));
  }

  @Test
  void builtAgainElsewhereItHasTheSameDigest() throws IOException {
    var again = scratch.resolve("again");
    BuildScript.run(again, "umask 077; TZ=Asia/Kathmandu LC_ALL=C exec");

    assertThat(again.resolve("digest")).hasSameTextualContentAs(made.resolve("digest"));
    assertThat(again.resolve("oci/index.json"))
        .hasSameTextualContentAs(made.resolve("oci/index.json"))
        .content()
        .contains(Files.readString(made.resolve("digest")).strip());
    assertThat(again.resolve("muster-image.cdx.json"))
        .hasSameTextualContentAs(made.resolve("muster-image.cdx.json"));
  }

  @Test
  void allOfItIsRootsAndNobodyElseWritesIt() throws IOException {
    assertThat(entries())
        .hasSizeGreaterThan(500)
        .allSatisfy(entry -> {
          assertThat(entry.getLongUserId()).as(entry.getName()).isZero();
          assertThat(entry.getLongGroupId()).as(entry.getName()).isZero();
          boolean isShared = entry.isDirectory() && (entry.getMode() & 07777) == 01777;
          if (!entry.isSymbolicLink() && !isShared) {
            assertThat(entry.getMode() & 07022).as(entry.getName()).isZero();
          }
        });
  }

  @Test
  void hasNoShellAndNoProgramButTheRuntimes() throws IOException {
    var programs = new TreeSet<String>();
    for (var entry : entries()) {
      boolean isFile = !entry.isDirectory() && !entry.isSymbolicLink();
      if (isFile
          && (entry.getMode() & 0111) != 0
          && !entry.getName().matches(".*\\.so(\\.[0-9.]+)?")) {
        programs.add(entry.getName());
      }
    }
    assertThat(programs).containsExactlyElementsOf(PROGRAMS);
    for (String folder : List.of("bin", "sbin", "usr/bin", "usr/sbin")) {
      assertThat(root.folder().resolve(folder)).isEmptyDirectory();
    }
  }

  @Test
  void scannersFindItsPackagesAndTheBillNamesAllOfIt() throws IOException {
    var bill = new ObjectMapper().readTree(made.resolve("muster-image.cdx.json").toFile());
    var named = new TreeSet<String>();
    bill.required("components").forEach(each -> named.add(each.get("name").textValue()));

    for (String name : names(root.folder().resolve("var/lib/dpkg/status.d"))) {
      assertThat(root.folder().resolve("var/lib/dpkg/status.d").resolve(name))
          .content()
          .contains("Package: " + name + "\n");
      assertThat(named).contains(name);
    }
    assertThat(named).contains("openjdk", "libc6", "picocli").doesNotContain("muster-simulator");
    assertThat(names(root.folder().resolve("opt/muster/lib")))
        .hasSizeGreaterThan(50)
        .noneMatch(jar -> jar.startsWith("muster-simulator"));
  }

  @Test
  void theRuntimeHasTheModulesThatTheProgramUses() throws IOException {
    var jars = root.folder().resolve("opt/muster/lib");
    var command = new ArrayList<String>();
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "jdeps").toString(),
            "--multi-release=25",
            "--ignore-missing-deps",
            "--print-module-deps",
            "--class-path=" + jars + "/*",
            root.folder().resolve("opt/muster/muster.jar").toString()));
    names(jars).forEach(jar -> command.add(jars.resolve(jar).toString()));
    var ran = Command.run(SERVE_LIMIT, command);

    assertThat(ran.output().lines().toList().getLast())
        .isEqualTo(Files.readString(Layout.current().deploy().resolve("image/modules")).strip());
  }

  @Test
  void theRuntimeListsTheSecurityProvidersThatItHas() throws IOException {
    assertThat(Files.readAllLines(root.folder().resolve("opt/jre/conf/security/java.security")))
        .filteredOn(line -> line.matches("security\\.provider\\.[0-9]+=.*"))
        .containsExactly(
            "security.provider.1=SUN",
            "security.provider.2=SunRsaSign",
            "security.provider.3=SunEC",
            "security.provider.4=SunJSSE",
            "security.provider.5=SunJCE");
  }

  @Test
  void saysItsVersionWithoutNetwork() {
    var ran =
        Command.run(LIMIT, ConfinedProcess.of(root).in(Network.NONE).command(List.of("--version")));

    // The JVM says first which options it takes from the environment.
    assertThat(ran.output().lines().toList().getLast())
        .matches("muster \\S+, commit [0-9a-f]{40}(-dirty)?");
    assertThat(ran.exitCode()).isZero();
  }

  @Test
  void mutatesWhatComesOnStandardInput() throws Exception {
    var process =
        new ProcessBuilder(
                ConfinedProcess.of(root)
                    .in(Network.NONE)
                    .command(List.of("mutate", "-f", "-", "-o", "yaml")))
            .redirectErrorStream(true)
            .start();
    try (var in = process.getOutputStream()) {
      in.write(POD.getBytes(UTF_8));
    }
    var printed = new String(process.getInputStream().readAllBytes(), UTF_8);

    assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).as(printed).isTrue();
    assertThat(process.exitValue()).as(printed).isZero();
    assertThat(printed).contains("name: \"worker\"", "muster.io/").doesNotContain("[aot");
  }

  @Test
  void servesAsItsUserOnAReadOnlyRootWithLoopbackAlone() {
    var command = new ArrayList<String>();
    command.addAll(ConfinedProcess.alone());
    command.addAll(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Dmuster.deploy=" + Layout.current().deploy(),
            "-cp",
            System.getProperty("java.class.path"),
            "io.muster.image.ServedAlone",
            made.resolve("oci").toString(),
            scratch.resolve("served").toString()));
    var ran = Command.run(SERVE_LIMIT, command);

    assertThat(ran.exitCode()).as(ran.output()).isZero();
    assertThat(ran.output())
        .contains("ready after ")
        .containsPattern("Uid:\t65532\t65532\t65532\t65532\n")
        .containsPattern("Gid:\t65532\t65532\t65532\t65532\n")
        .containsPattern("CapPrm:\t0+\n")
        .containsPattern("CapEff:\t0+\n")
        .contains("NoNewPrivs:\t1\n")
        .containsPattern("root: .* / ro,")
        .doesNotContain("[aot");
    ran.output().lines().filter(line -> line.startsWith("ready")).forEach(System.out::println);
  }

  private static List<TarArchiveEntry> entries() throws IOException {
    var json = new ObjectMapper();
    var blobs = new Blobs(made.resolve("oci/blobs/sha256"));
    var manifest =
        json.readTree(blobs.file(Files.readString(made.resolve("digest")).strip()).toFile());
    var found = new ArrayList<TarArchiveEntry>();
    for (var layer : manifest.required("layers")) {
      try (var file = Files.newInputStream(blobs.file(layer.required("digest").textValue()));
          var tar = new TarArchiveInputStream(new GZIPInputStream(file))) {
        for (var entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
          found.add(entry);
        }
      }
    }
    return found;
  }

  private static List<String> names(Path folder) throws IOException {
    try (var files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }
}
