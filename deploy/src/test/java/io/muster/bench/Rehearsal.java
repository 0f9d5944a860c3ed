package io.muster.bench;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.sandbox.Layout;
import io.muster.sandbox.MissingToolException;
import io.muster.sandbox.MusterOptions;
import io.muster.sandbox.SandboxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;

/**
 * The command behind {@code deploy/aot-cache}: a run of Muster with gangs and jobs, after which its
 * JVM writes down what it learned (JEP 514, JEP 515). Exit codes: 0 it did, 1 it did not, 2 a tool
 * is missing.
 */
final class Rehearsal {

  private static final int NODES = 100;
  private static final int ROUNDS = 3;
  private static final int JOBS = 10;
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private Rehearsal() {}

  public static void main(String[] arguments) throws IOException {
    try {
      var made = play(Layout.current());
      System.out.printf("%s: %d MB%n", made, Files.size(made) >> 20);
    } catch (MissingToolException e) {
      System.err.println("aot-cache: " + e.getMessage());
      System.exit(2);
    } catch (SandboxException | KubernetesClientException e) {
      System.err.println("aot-cache: " + e.getMessage());
      System.exit(1);
    }
  }

  /** The cache that was made; one that was there stays where this fails. */
  private static Path play(Layout layout) throws IOException {
    var unfinished = layout.aotCache().resolveSibling("muster.aot.unfinished");
    Files.deleteIfExists(unfinished);
    try (var arena = Arena.with(NODES)) {
      var muster =
          arena.turnToMuster(MusterOptions.DEFAULT.jvm("-XX:AOTCacheOutput=" + unfinished));
      for (int seed = 0; seed < ROUNDS; seed++) {
        try (var round = new Round(arena, Work.oneAfterTheOther(seed, 10, 8, 16, 32))) {
          round.create(Manifests.DEFAULT_SCHEDULER);
          round.awaitBound(LIMIT);
        }
        arena.clean();
      }
      JobCrowd.rehearse(arena, muster, JOBS);
      muster.terminate(LIMIT);
      if (!Files.isRegularFile(unfinished)) {
        throw new SandboxException("The JVM wrote no cache; its words are in " + muster.log());
      }
    }
    return Files.move(
        unfinished,
        layout.aotCache(),
        StandardCopyOption.ATOMIC_MOVE,
        StandardCopyOption.REPLACE_EXISTING);
  }
}
