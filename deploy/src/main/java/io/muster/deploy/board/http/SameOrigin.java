package io.muster.deploy.board.http;

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

  /**
   * Why a request that sends something is refused; empty if it may be served.
   *
   * @param header of the request by its name; null if there is none
   */
  static Optional<String> refusal(Function<String, String> header) {
    var type = Optional.ofNullable(header.apply("Content-Type")).orElse("");
    if (!JSON.equals(type.split(";", 2)[0].strip().toLowerCase(Locale.ROOT))) {
      return Optional.of("send it as " + JSON);
    }
    var site = Optional.ofNullable(header.apply("Sec-Fetch-Site"));
    boolean isOwn =
        site.map("same-origin"::equals)
            .orElseGet(() ->
                Optional.ofNullable(header.apply("Origin"))
                    .map(origin -> origin.endsWith("://" + header.apply("Host")))
                    .orElse(true));
    return isOwn
        ? Optional.empty()
        : Optional.of("only the page of the board itself may send this");
  }
}
