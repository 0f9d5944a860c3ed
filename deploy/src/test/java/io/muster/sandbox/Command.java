package io.muster.sandbox;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs a short program to its end within a time limit. Stateless; safe for concurrent use. */
public final class Command {

  /** How it ended; the output holds both streams. */
  public record Result(int exitCode, String output) {}

  private Command() {}

  public static Result run(Duration limit, List<String> command) {
    return run(limit, Map.of(), command);
  }

  /**
   * The same with variables of its own.
   *
   * @param environment what the program finds there besides
   */
  public static Result run(Duration limit, Map<String, String> environment, List<String> command) {
    try {
      Path output = Files.createTempFile("sandbox-command", ".out");
      try {
        var builder =
            new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectOutput(output.toFile());
        builder.environment().putAll(environment);
        var process = builder.start();
        if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
          process.destroyForcibly();
          throw new SandboxException(
              command.getFirst() + " did not end within " + limit.toSeconds() + " s.");
        }
        return new Result(
            process.exitValue(), new String(Files.readAllBytes(output), StandardCharsets.UTF_8));
      } finally {
        Files.deleteIfExists(output);
      }
    } catch (IOException e) {
      throw new SandboxException(command.getFirst() + " cannot be started: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SandboxException("The wait for " + command.getFirst() + " was interrupted.", e);
    }
  }
}
