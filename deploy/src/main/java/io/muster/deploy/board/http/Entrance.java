package io.muster.deploy.board.http;

import io.javalin.config.JavalinConfig;
import io.javalin.http.Context;
import io.javalin.http.HttpStatus;
import io.muster.deploy.board.access.Access;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Who is let in to look, and what they see. Safe for concurrent use. */
public interface Entrance {

  /** Somebody who was let in. */
  interface Viewer {

    /** What they may see; to be asked for again before anything is shown. */
    Access access();

    /** Whose share of what is limited is theirs. */
    String account();

    /** Their rights in that namespace are wanted before those in others. */
    default void looksAt(String namespace) {}

    /** Whether they are still let in. */
    boolean isIn();
  }

  /** What comes of a request. */
  sealed interface Admission {

    /** It is answered. */
    record Admitted(Viewer viewer) implements Admission {}

    /**
     * It is refused.
     *
     * @param maySignIn whether the page asks for a token
     */
    record Refused(
        HttpStatus status, String message, boolean maySignIn, Optional<Duration> retryAfter)
        implements Admission {

      Refused(HttpStatus status, String message) {
        this(status, message, false, Optional.empty());
      }

      /** Answers with it. */
      void send(Context context) {
        retryAfter.ifPresent(
            time -> context.header("Retry-After", Long.toString(Math.max(1, time.toSeconds()))));
        context
            .status(status)
            .json(
                maySignIn
                    ? Map.of("message", message, "signIn", true)
                    : Map.of("message", message));
      }
    }
  }

  /** Whether anything at all is answered to such a request, the page itself included. */
  Optional<Admission.Refused> barred(Context context);

  /** Lets in whoever asks, or says why not. */
  Admission admit(Context context);

  /** The first page is asked for; true if that has been answered. */
  boolean opens(Context context);

  /** Further routes, such as those to sign in. */
  void addTo(JavalinConfig java);
}
