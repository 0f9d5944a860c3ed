package io.muster.deploy.board.http;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.javalin.http.HttpStatus;
import io.muster.deploy.board.access.Access;
import io.muster.deploy.board.access.SignIn;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Lets in whoever shows a token that the API server accepts, and shows each what the API server
 * lets them list. A browser signs in once and has a cookie; a proxy in front may send the token
 * with each request. Safe for concurrent use.
 */
public final class SignedIn implements Entrance {

  /** Browsers send it over TLS and to this host alone. */
  public static final String COOKIE = "__Host-muster-board";

  private static final String SESSION = "/api/v1/session";
  private static final String BEARER = "Bearer ";
  private static final int LONGEST_BODY = 32_768;
  private static final Admission.Refused UNKNOWN =
      new Admission.Refused(
          HttpStatus.UNAUTHORIZED, "sign in to see the board", true, Optional.empty());

  private final SignIn signIn;
  private final JsonMapper mapper = JsonMapper.builder().build();

  public SignedIn(SignIn signIn) {
    this.signIn = signIn;
  }

  private record Known(SignIn signIn, io.muster.deploy.board.access.Viewer viewer)
      implements Viewer {

    @Override
    public Access access() {
      return signIn.access(viewer);
    }

    @Override
    public String account() {
      return viewer.account();
    }

    @Override
    public boolean isIn() {
      return signIn.isStillIn(viewer);
    }

    @Override
    public void looksAt(String namespace) {
      signIn.prefer(viewer, namespace);
    }
  }

  /** What can be seen without having signed in is the page itself. */
  @Override
  public Optional<Admission.Refused> barred(Context context) {
    return Optional.empty();
  }

  @Override
  public Admission admit(Context context) {
    var brought =
        Optional.ofNullable(context.header("Authorization"))
            .filter(header -> header.regionMatches(true, 0, BEARER, 0, BEARER.length()))
            .map(header -> header.substring(BEARER.length()));
    if (brought.isPresent()) {
      return switch (signIn.ofBearer(brought.get(), address(context))) {
        case SignIn.Known(var viewer) -> new Admission.Admitted(new Known(signIn, viewer));
        case SignIn.Refused(var why) -> unauthorized(why);
        case SignIn.TooMany(var wait) -> tooMany(wait);
        case SignIn.Unanswered(var why) -> unanswered(why);
      };
    }
    return cookie(context)
        .flatMap(signIn::ofCookie)
        .<Admission>map(viewer -> new Admission.Admitted(new Known(signIn, viewer)))
        .orElse(UNKNOWN);
  }

  private static Optional<String> cookie(Context context) {
    return Optional.ofNullable(context.cookie(cookieName(context)));
  }

  /** Browsers keep cookies by host, and one may have the boards of several clusters open there. */
  private static String cookieName(Context context) {
    return COOKIE + "-" + context.req().getServerPort();
  }

  /** That of the connection: a header says what its sender likes. */
  private static String address(Context context) {
    return context.req().getRemoteAddr();
  }

  private static Admission.Refused unauthorized(String why) {
    return new Admission.Refused(HttpStatus.UNAUTHORIZED, why, true, Optional.empty());
  }

  private static Admission.Refused tooMany(Duration wait) {
    return new Admission.Refused(
        HttpStatus.TOO_MANY_REQUESTS, "too many attempts; try again", true, Optional.of(wait));
  }

  private static Admission.Refused unanswered(String why) {
    return new Admission.Refused(
        HttpStatus.SERVICE_UNAVAILABLE, why, true, Optional.of(Duration.ofSeconds(5)));
  }

  @Override
  public boolean opens(Context context) {
    return false;
  }

  @Override
  public void addTo(JavalinConfig java) {
    java.routes.post(SESSION, this::begin);
    java.routes.get(SESSION, this::tell);
    java.routes.delete(SESSION, this::end);
  }

  private void begin(Context context) throws IOException {
    var foreign = SameOrigin.refusal(context);
    if (foreign.isPresent()) {
      new Admission.Refused(HttpStatus.FORBIDDEN, foreign.get()).send(context);
      return;
    }
    var token = token(context);
    if (token.isEmpty()) {
      new Admission.Refused(HttpStatus.BAD_REQUEST, "send {\"token\": \"...\"}").send(context);
      return;
    }
    switch (signIn.signIn(token.get(), address(context))) {
      case SignIn.In in -> {
        context.header(
            "Set-Cookie",
            "%s=%s; Path=/; Secure; HttpOnly; SameSite=Strict"
                .formatted(cookieName(context), in.cookie()));
        context.status(HttpStatus.NO_CONTENT);
      }
      case SignIn.Refused(var why) -> unauthorized(why).send(context);
      case SignIn.TooMany(var wait) -> tooMany(wait).send(context);
      case SignIn.Unanswered(var why) -> unanswered(why).send(context);
    }
  }

  private Optional<String> token(Context context) throws IOException {
    var body = context.bodyInputStream().readNBytes(LONGEST_BODY + 1);
    if (body.length > LONGEST_BODY) {
      return Optional.empty();
    }
    try {
      return Optional.of(mapper.readTree(body))
          .map(sent -> sent.path("token"))
          .filter(JsonNode::isTextual)
          .map(JsonNode::textValue);
    } catch (com.fasterxml.jackson.core.JsonProcessingException _) {
      return Optional.empty();
    }
  }

  private void tell(Context context) {
    switch (admit(context)) {
      case Admission.Admitted(Known(var _, var viewer)) ->
          context.json(Map.of("user", viewer.name(), "until", viewer.until().toString()));
      case Admission.Admitted _ -> throw new IllegalStateException("not of here");
      case Admission.Refused refused -> refused.send(context);
    }
  }

  private void end(Context context) {
    // Browsers send the cookie with requests of its own page alone.
    cookie(context).ifPresent(signIn::signOut);
    context.header(
        "Set-Cookie",
        cookieName(context) + "=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0");
    context.status(HttpStatus.NO_CONTENT);
  }
}
