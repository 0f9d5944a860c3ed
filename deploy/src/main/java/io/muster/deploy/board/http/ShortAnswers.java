package io.muster.deploy.board.http;

import io.javalin.http.Context;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.ee10.servlet.ServletContextRequest;
import org.eclipse.jetty.server.Request;

/**
 * Cuts connections on which a request is sent, or its answer read, too slowly: whoever has not
 * signed in could hold as many as there may be. Safe for concurrent use.
 */
final class ShortAnswers implements AutoCloseable {

  private static final String END = ShortAnswers.class.getName();

  private final Duration longest;
  private final ScheduledThreadPoolExecutor timer =
      new ScheduledThreadPoolExecutor(
          1, Thread.ofPlatform().daemon().name("muster-board-short-answers").factory());

  /**
   * Gives each request the same time.
   *
   * @param longest from the start of a request to the last byte of its answer
   */
  ShortAnswers(Duration longest) {
    this.longest = longest;
    timer.setRemoveOnCancelPolicy(true);
  }

  /** The time of this request begins. */
  void begin(Context context) {
    var request = ServletContextRequest.getServletContextRequest(context.req());
    var end = timer.schedule(() -> cut(request), longest.toMillis(), TimeUnit.MILLISECONDS);
    context.attribute(END, end);
    Request.addCompletionListener(request, _ -> end.cancel(false));
  }

  /** Others see to this one. */
  static void spare(Context context) {
    Optional.ofNullable(context.<Future<?>>attribute(END)).ifPresent(end -> end.cancel(false));
  }

  private static void cut(Request request) {
    request.getConnectionMetaData().getConnection().getEndPoint().close();
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
