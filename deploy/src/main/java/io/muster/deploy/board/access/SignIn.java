package io.muster.deploy.board.access;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets viewers in by their tokens, and says what each of them may see. Cheap but where a token is
 * new or a viewer is: then it waits for the API server, within fixed times. Safe for concurrent
 * use.
 */
public final class SignIn implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(SignIn.class);

  private static final int COOKIE_BYTES = 32;
  private static final Pattern COOKIE = Pattern.compile("[A-Za-z0-9_-]{43}");
  private static final Duration IDLE = Duration.ofMillis(50);
  private static final Duration CHECKS_APART = Duration.ofMillis(250);
  private static final int CHECKERS = 2;

  private static final Refused NO_TOKEN = new Refused("that is not a token");
  private static final Refused WRONG =
      new Refused("the API server does not accept the token: it is wrong or has expired");
  private static final Unanswered SILENT =
      new Unanswered("the API server does not answer; try again");

  private final InstantSource clock;
  private final Reviews reviews;
  private final SignInLimits limits = new SignInLimits();
  private final Sessions cookies = new Sessions(Sessions.Terms.SIGNED_IN);
  private final KnownTokens tokens;
  private final AccessBook book;
  private final SecureRandom random = new SecureRandom();
  private final Askers askers = new Askers();
  private final CountDownLatch closed = new CountDownLatch(1);

  /** Of signing in. */
  public sealed interface Outcome permits In, Refused, TooMany, Unanswered {}

  /** Of a request with a token of its own. */
  public sealed interface Bearer permits Known, Refused, TooMany, Unanswered {}

  /**
   * A session has begun.
   *
   * @param cookie the value; known to nobody else
   * @param name for people
   * @param until the end of the session at the latest
   */
  public record In(String cookie, String name, Instant until) implements Outcome {

    @Override
    public String toString() {
      return "in: " + name;
    }
  }

  public record Known(Viewer viewer) implements Bearer {}

  /**
   * Nobody is in with that.
   *
   * @param why a sentence without a period
   */
  public record Refused(String why) implements Outcome, Bearer {}

  public record TooMany(Duration retryAfter) implements Outcome, Bearer {}

  /**
   * The API server has said neither.
   *
   * @param why a sentence without a period
   */
  public record Unanswered(String why) implements Outcome, Bearer {}

  /**
   * Begins to ask when the first viewer comes.
   *
   * @param namespaces that have gangs, or pods with devices, now; asked once a second
   * @param clock one that is not set back while it runs: how long a right is remembered is measured
   *     by it
   */
  public static SignIn start(
      Reviews reviews,
      AccessSettings settings,
      Supplier<Set<String>> namespaces,
      InstantSource clock) {
    var signIn = new SignIn(reviews, settings, namespaces, clock);
    if (settings.inFlight() > 0) {
      signIn.askers.start(
          "board-rights",
          settings.inFlight(),
          signIn.book::askOne,
          () -> signIn.book.awaitWork(IDLE));
      signIn.askers.start("board-tokens", CHECKERS, signIn::checkOne, signIn::awaitCheck);
    }
    return signIn;
  }

  private SignIn(
      Reviews reviews,
      AccessSettings settings,
      Supplier<Set<String>> namespaces,
      InstantSource clock) {
    this.reviews = reviews;
    this.clock = clock;
    this.tokens = new KnownTokens(reviews, limits, clock);
    this.book = new AccessBook(reviews, settings, namespaces, clock);
  }

  /**
   * Begins a session.
   *
   * @param remoteAddress of the connection; never what a header says
   */
  public Outcome signIn(String token, String remoteAddress) {
    return switch (ofBearer(token, remoteAddress)) {
      case Known(var viewer) -> begin(viewer.session());
      case Refused refused -> refused;
      case TooMany tooMany -> tooMany;
      case Unanswered unanswered -> unanswered;
    };
  }

  /**
   * Who sends a request that has its own token, as those of a proxy do.
   *
   * @param remoteAddress of the connection; never what a header says
   */
  public Bearer ofBearer(String token, String remoteAddress) {
    var read = Token.read(token);
    if (read.isEmpty()) {
      return NO_TOKEN;
    }
    var now = clock.instant();
    if (read.get().expiry().filter(expiry -> !now.isBefore(expiry)).isPresent()) {
      return WRONG;
    }
    return switch (tokens.review(read.get(), remoteAddress)) {
      case KnownTokens.Result.Good(var session) -> new Known(new Viewer(session, tokens.good()));
      case KnownTokens.Result.Wrong _ -> WRONG;
      case KnownTokens.Result.TooMany(var retryAfter) -> new TooMany(retryAfter);
      case KnownTokens.Result.Unanswered _ -> SILENT;
    };
  }

  private Outcome begin(Session reviewed) {
    var now = clock.instant();
    var wait = limits.session(reviewed.identity(), now);
    if (wait.isPresent()) {
      return new TooMany(wait.get());
    }
    var cookie = newCookie();
    var until = cookies.end(reviewed.token(), now);
    var session =
        new Session(
            Digest.of(Digest.Kind.COOKIE, cookie),
            reviewed.token(),
            reviewed.identity(),
            until,
            reviewed.confirmed());
    cookies.add(session, now);
    var name = session.identity().name();
    LOG.atInfo().addKeyValue("user", name).log("signed in");
    return new In(cookie, name, until);
  }

  private String newCookie() {
    var bytes = new byte[COOKIE_BYTES];
    random.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** Who has that cookie; empty if nobody is in with it. */
  public Optional<Viewer> ofCookie(String cookie) {
    if (!COOKIE.matcher(cookie).matches()) {
      return Optional.empty();
    }
    var now = clock.instant();
    return cookies
        .find(Digest.of(Digest.Kind.COOKIE, cookie), now)
        .filter(session -> cookies.isIn(session, now))
        .map(session -> used(session, now))
        .map(session -> new Viewer(session, cookies));
  }

  private static Session used(Session session, Instant now) {
    session.use(now);
    return session;
  }

  /** Ends the session, and what is open of it. */
  public void signOut(String cookie) {
    cookies.remove(Digest.of(Digest.Kind.COOKIE, cookie));
  }

  /** Whether the viewer may go on looking. To be asked again and again while they look. */
  public boolean isStillIn(Viewer viewer) {
    var now = clock.instant();
    boolean isIn = viewer.where().isIn(viewer.session(), now);
    if (isIn) {
      viewer.session().use(now);
    }
    return isIn;
  }

  /** What they may see at this moment: nothing if they are not in any more. */
  public Access access(Viewer viewer) {
    return isStillIn(viewer) ? book.access(viewer.session().identity()) : Access.NOTHING;
  }

  /** The viewer looks at that namespace, so their rights there are asked about before others. */
  public void prefer(Viewer viewer, String namespace) {
    if (isStillIn(viewer)) {
      book.prefer(viewer.session().identity(), namespace);
    }
  }

  /** Reviews again one token that is due. */
  boolean checkOne() {
    var now = clock.instant();
    return checkOne(cookies, now) || checkOne(tokens.good(), now);
  }

  private boolean checkOne(Sessions sessions, Instant now) {
    if (!sessions.isCheckDue(now) || limits.renewal(now).isPresent()) {
      return false;
    }
    var due = sessions.nextCheck(now);
    due.ifPresent(session -> sessions.checked(session, reviews.authenticate(session.token()), now));
    return due.isPresent();
  }

  private void awaitCheck() throws InterruptedException {
    var _ = closed.await(CHECKS_APART.toMillis(), TimeUnit.MILLISECONDS);
  }

  AccessBook book() {
    return book;
  }

  /** How many sessions, tokens and addresses are remembered. */
  int remembered() {
    return cookies.size() + tokens.size() + limits.remembered();
  }

  @Override
  public void close() {
    closed.countDown();
    askers.close();
  }
}
