package io.muster.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.sandbox.Command;
import io.muster.sandbox.Layout;
import io.muster.sandbox.StateDirectory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** What {@code deploy/aot-cache} makes fits what it is made for. */
@ResourceLock(StateDirectory.OF_BENCH)
final class RehearsalIT {

  private static final Duration LIMIT = Duration.ofMinutes(8);
  private static final Duration SOON = Duration.ofSeconds(30);

  @Tag("long")
  @Test
  void theCacheFitsTheJarAndItsOptions() throws Exception {
    var layout = Layout.current();
    Files.deleteIfExists(layout.aotCache());

    var made = Command.run(LIMIT, List.of(layout.deploy().resolve("aot-cache").toString()));
    assertThat(made.exitCode()).as(made.output()).isZero();

    var started =
        Command.run(
            SOON,
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "@" + layout.jvmOptions(),
                // The JVM ends where it cannot use it.
                "-XX:AOTMode=on",
                "-XX:AOTCache=" + layout.aotCache(),
                "-jar",
                layout.musterJar().toString(),
                "--version"));
    assertThat(started.exitCode()).as(started.output()).isZero();
    assertThat(started.output()).startsWith("muster ");
  }
}
