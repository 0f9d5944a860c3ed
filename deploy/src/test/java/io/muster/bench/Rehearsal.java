package io.muster.bench;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.sandbox.AotCache;
import io.muster.sandbox.Layout;
import io.muster.sandbox.MissingToolException;
import io.muster.sandbox.MusterOptions;
import io.muster.sandbox.SandboxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/**
 * The command behind {@code deploy/aot-cache}: a run of Muster with gangs and jobs, after which its
 * JVM writes down what it learned (JEP 514, JEP 515). Rehearses what the build made, or, with a
 * folder as argument, its {@code muster} on its {@code jre}; the cache comes to lie beside the jar.
 * Exit codes: 0 it did, 1 it did not, 2 a tool is missing.
 */
final class Rehearsal {

  private static final int NODES = 100;
  private static final int ROUNDS = 3;
  private static final int JOBS = 10;
  private static final Duration LIMIT = Duration.ofMinutes(3);

  private Rehearsal() {}

  public static void main(String[] arguments) throws IOException {
    try {
      var layout = Layout.current();
      var made =
          arguments.length == 0
              ? play(layout.aotCache(), MusterOptions.DEFAULT::jvm)
              : playStaged(Path.of(arguments[0]));
      System.out.printf("%s: %d MB%n", made, Files.size(made) >> 20);
    } catch (MissingToolException e) {
      System.err.println("aot-cache: " + e.getMessage());
      System.exit(2);
    } catch (SandboxException | KubernetesClientException e) {
      System.err.println("aot-cache: " + e.getMessage());
      System.exit(1);
    }
  }

  /** Of an image that is being made. */
  private static Path playStaged(Path folder) {
    var program = folder.resolve("muster");
    return play(
        program.resolve("muster.aot"),
        asked ->
            MusterOptions.DEFAULT.launchedBy(
                List.of(
                    folder.resolve("jre/bin/java").toString(),
                    "@" + program.resolve("jvm.options"),
                    asked,
                    "-jar",
                    program.resolve("muster.jar").toString())));
  }

  /**
   * The cache that was made.
   *
   * @param options from the JVM argument that asks for the cache
   */
  private static Path play(Path file, Function<String, MusterOptions> options) {
    var cache = AotCache.at(file);
    try (var arena = Arena.with(NODES)) {
      var muster = arena.turnToMuster(options.apply(cache.option()));
      for (int seed = 0; seed < ROUNDS; seed++) {
        try (var round = new Round(arena, Work.oneAfterTheOther(seed, 10, 8, 16, 32))) {
          round.create(Manifests.DEFAULT_SCHEDULER);
          round.awaitBound(LIMIT);
        }
        arena.clean();
      }
      JobCrowd.rehearse(arena, muster, JOBS);
      return cache.endAndKeep(muster, LIMIT);
    }
  }
}
