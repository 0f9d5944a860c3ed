package io.muster.deploy.board.history;

import io.javalin.http.Context;
import io.javalin.http.Handler;
import io.javalin.http.HttpStatus;
import java.net.URI;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;

/**
 * Answers {@code GET /api/v1/history}. There are numbers alone in it: whoever is let in may see
 * them. Safe for concurrent use.
 */
public final class HistoryHandler implements Handler {

  private final History history;
  private final InstantSource clock;
  private final Optional<String> grafana;

  /**
   * @param grafana where there is more; an address of http or https
   * @throws IllegalArgumentException if it is another one
   */
  public HistoryHandler(History history, InstantSource clock, Optional<URI> grafana) {
    this.history = history;
    this.clock = clock;
    this.grafana = grafana.map(HistoryHandler::checked);
  }

  private static String checked(URI address) {
    var scheme = Optional.ofNullable(address.getScheme()).orElse("");
    boolean isOfWeb = scheme.equalsIgnoreCase("https") || scheme.equalsIgnoreCase("http");
    if (!isOfWeb || address.getHost() == null) {
      throw new IllegalArgumentException(
          "the address of Grafana must begin with https:// or http://, not be " + address);
    }
    return address.toString();
  }

  @Override
  public void handle(Context context) {
    var now = clock.instant();
    var asked =
        HistoryRange.of(
            Optional.ofNullable(context.queryParam("since")),
            Optional.ofNullable(context.queryParam("step")),
            now);
    switch (asked) {
      case HistoryRange.Asked.Range(var range) -> context.json(history.answer(range, now, grafana));
      case HistoryRange.Asked.Refused(var sentence) ->
          context.status(HttpStatus.BAD_REQUEST).json(Map.of("message", sentence));
    }
  }
}
