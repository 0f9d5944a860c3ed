package io.muster.deploy.serve.probe;

import io.javalin.config.JavalinConfig;
import io.javalin.http.HttpStatus;
import java.util.Optional;
import java.util.function.Supplier;

/** Answers those who ask over plain HTTP whether all is well. */
public final class Probes {

  private Probes() {}

  /**
   * Answers at that path.
   *
   * @param failure says what is not well, in one sentence; empty if nothing is
   */
  public static void answer(JavalinConfig java, String path, Supplier<Optional<String>> failure) {
    java.routes.get(
        path,
        context ->
            failure
                .get()
                .ifPresentOrElse(
                    why -> context.status(HttpStatus.SERVICE_UNAVAILABLE).result(why + "\n"),
                    () -> context.result("ok\n")));
  }

  /** The same where only one thing can be wrong. */
  public static Optional<String> failure(boolean isWell, String sentence) {
    return isWell ? Optional.empty() : Optional.of(sentence);
  }
}
