package io.muster.deploy.board.http;

import io.javalin.http.Context;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/**
 * Lets only scripts of the page itself send something: forms of other pages cannot send JSON
 * without asking first, and browsers say where a request comes from. Stateless.
 */
final class SameOrigin {

  private static final String JSON = "application/json";

  private SameOrigin() {}

  private static final int HTTPS = 443;

  /** Why a request that sends something is refused; empty if it may be served. */
  static Optional<String> refusal(Context context) {
    return refusal(context::header, authority(context));
  }

  /** Over HTTP/2 there is no header of it. */
  private static String authority(Context context) {
    var request = context.req();
    var port = request.getServerPort() == HTTPS ? "" : ":" + request.getServerPort();
    return Optional.ofNullable(context.host()).orElseGet(() -> request.getServerName() + port);
  }

  /**
   * The same.
   *
   * @param header of the request by its name; null if there is none
   * @param authority host and port that were asked, as in an address
   */
  static Optional<String> refusal(Function<String, String> header, String authority) {
    var type = Optional.ofNullable(header.apply("Content-Type")).orElse("");
    if (!JSON.equals(type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT))) {
      return Optional.of("send it as " + JSON);
    }
    var site = Optional.ofNullable(header.apply("Sec-Fetch-Site"));
    boolean isOwn =
        site.map("same-origin"::equals)
            .orElseGet(() ->
                Optional.ofNullable(header.apply("Origin"))
                    .map(origin -> origin.endsWith("://" + authority))
                    .orElse(true));
    return isOwn
        ? Optional.empty()
        : Optional.of("only the page of the board itself may send this");
  }
}
