package io.muster.extender.http;

import io.javalin.Javalin;
import io.javalin.compression.CompressionStrategy;
import io.javalin.config.JavalinConfig;
import java.util.function.Consumer;

/** What all HTTP servers of a process have in common. */
public final class Servers {

  private static final long STOP_TIMEOUT_MILLIS = 3_000;

  private Servers() {}

  /** A server that is not started yet and has no more than the content. */
  public static Javalin of(Consumer<JavalinConfig> content) {
    return Javalin.create(java -> {
      java.startup.showJavalinBanner = false;
      java.startup.showOldJavalinVersionWarning = false;
      // Callers are near and ask for each pod: to compress an answer takes both sides longer.
      java.http.compressionStrategy = CompressionStrategy.NONE;
      java.jetty.modifyServer(jetty -> jetty.setStopTimeout(STOP_TIMEOUT_MILLIS));
      content.accept(java);
    });
  }
}
