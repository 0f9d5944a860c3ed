package io.muster.admission;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.admission.PortAttack.Kind;
import io.muster.e2e.GangManifest;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Somebody who can open connections to the webhook port, and nothing else, does his worst from the
 * address that the API server has, too; the API server's pods are reviewed all the same.
 */
@ExtendWith(SandboxExtension.class)
final class AttackedPortIT {

  /** Beside a heap of 384 MiB: threads, buffers, code. */
  private static final long MOST_RESIDENT_MIB = 900;

  private static final int WARMING = 500;

  /** Two probes of the chart that fail, of two seconds each, take a pod out of service. */
  private static final Duration PROBED = Duration.ofSeconds(4);

  @ParameterizedTest
  @EnumSource(Kind.class)
  void membersAreStoredMeanwhile(Kind kind, Sandbox sandbox, TestSpace space) throws IOException {
    attack(kind, 100, Duration.ofSeconds(6), sandbox, space);
  }

  @Tag("long")
  @ParameterizedTest
  @CsvSource({"UNFINISHED, 300", "SLOW, 2000", "GARBAGE, 300", "STREAMS, 1000"})
  void membersAreStoredWithinASecondMeanwhile(
      Kind kind, int connections, Sandbox sandbox, TestSpace space) throws IOException {
    EnrolmentIT.enrol(space, "gang");
    // What the just-in-time compilers have not seen yet is not what floods cost.
    GangManifest.of(space, "before", WARMING).create();
    var took = attack(kind, connections, Duration.ofSeconds(60), sandbox, space);

    Collections.sort(took);
    assertThat(took.get((took.size() - 1) * 99 / 100)).isLessThan(Duration.ofSeconds(1));
  }

  /** How long each pod took that was created meanwhile. */
  private static List<Duration> attack(
      Kind kind, int connections, Duration lasting, Sandbox sandbox, TestSpace space)
      throws IOException {
    var muster = sandbox.muster().orElseThrow();
    EnrolmentIT.enrol(space, "gang");
    // More than there will be: a gang that only waits.
    var gang = GangManifest.of(space, "gang", 4000);
    var target = URI.create(muster.webhookUrl());
    var took = new ArrayList<Duration>();
    try (var attack = AttackProcess.begin(sandbox, kind, connections, target)) {
      long end = System.nanoTime() + lasting.toNanos();
      for (int i = 0; System.nanoTime() < end; i++) {
        long begun = System.nanoTime();
        var pod = WebhookDownIT.once(space, gang.pod("member-" + i));
        took.add(Duration.ofNanos(System.nanoTime() - begun));
        assertThat(pod.getSpec().getSchedulingGates()).as("reviewed").isNotEmpty();
      }
      assertThat(attack.acts()).isGreaterThanOrEqualTo(kind == Kind.STREAMS ? 1 : connections);
    }
    assertThat(muster.isAlive()).isTrue();
    muster.awaitReady(PROBED);
    long resident = residentMib(muster.pid());
    Collections.sort(took);
    System.out.printf(
        "%s by %d: %d pods, p50 %d ms, p99 %d ms, greatest %d ms, %d MiB resident%n",
        kind,
        connections,
        took.size(),
        took.get(took.size() / 2).toMillis(),
        took.get((took.size() - 1) * 99 / 100).toMillis(),
        took.getLast().toMillis(),
        resident);
    assertThat(resident).isLessThan(MOST_RESIDENT_MIB);
    return took;
  }

  private static long residentMib(long pid) throws IOException {
    return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
            .filter(line -> line.startsWith("VmRSS:"))
            .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
            .findFirst()
            .orElseThrow()
        / 1024;
  }
}
