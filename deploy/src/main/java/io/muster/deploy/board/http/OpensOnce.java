package io.muster.deploy.board.http;

import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.javalin.http.HttpStatus;
import io.muster.deploy.board.access.Access;
import java.util.Optional;
import java.util.Set;

/**
 * Lets in whoever has the address that the command printed, on its own machine. They see what the
 * command sees. Safe for concurrent use.
 */
final class OpensOnce implements Entrance {

  static final String LOOPBACK = "127.0.0.1";

  private static final String COOKIE = "muster-board-";
  private static final Admission.Refused ELSEWHERE =
      new Admission.Refused(HttpStatus.FORBIDDEN, "open the address that muster board printed");
  private static final Admission.Refused UNKNOWN =
      new Admission.Refused(HttpStatus.UNAUTHORIZED, "open the address that muster board printed");

  private static final Viewer VIEWER =
      new Viewer() {
        @Override
        public Access access() {
          return Access.ALL;
        }

        @Override
        public String account() {
          return "";
        }

        @Override
        public boolean isIn() {
          return true;
        }
      };

  private final ViewerKey key = new ViewerKey();
  private final Neighbors neighbors = Neighbors.here();

  /** To be added to the address. */
  String query() {
    return "?key=" + key.key();
  }

  /** A page from elsewhere whose name leads here is not ours. */
  @Override
  public Optional<Admission.Refused> barred(Context context) {
    int port = context.req().getLocalPort();
    var here = Set.of(LOOPBACK + ":" + port, "localhost:" + port);
    return here.contains(Optional.ofNullable(context.host()).orElse(""))
        ? Optional.empty()
        : Optional.of(ELSEWHERE);
  }

  @Override
  public Admission admit(Context context) {
    return key.isKnown(Optional.ofNullable(context.cookie(cookie(context))))
        ? new Admission.Admitted(VIEWER)
        : UNKNOWN;
  }

  /** Browsers keep cookies by host, and one may look at several clusters. */
  private static String cookie(Context context) {
    return COOKIE + context.req().getLocalPort();
  }

  @Override
  public boolean opens(Context context) {
    var brought = Optional.ofNullable(context.queryParam("key"));
    brought
        .filter(_ -> !isOfAnother(context))
        .flatMap(key::exchange)
        .ifPresent(value ->
            context.header(
                "Set-Cookie",
                "%s=%s; Path=/; HttpOnly; SameSite=Strict".formatted(cookie(context), value)));
    // Without the key, so that the address may be passed on.
    brought.ifPresent(_ -> context.redirect("/"));
    return brought.isPresent();
  }

  /** The address may be among the arguments of a browser, which all users of a machine see. */
  private boolean isOfAnother(Context context) {
    return neighbors.isOfAnother(context.req().getRemotePort(), context.req().getLocalPort());
  }

  @Override
  public void addTo(JavalinConfig java) {
    // Nobody signs in here: a browser would complain of a file that is not there.
    java.routes.get(
        "/api/v1/session",
        context -> {
          switch (admit(context)) {
            case Admission.Admitted _ -> context.status(HttpStatus.NO_CONTENT);
            case Admission.Refused refused -> refused.send(context);
          }
        });
  }
}
