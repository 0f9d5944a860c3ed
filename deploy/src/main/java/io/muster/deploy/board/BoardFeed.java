package io.muster.deploy.board;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.deploy.config.ApiRefusal;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the board shows, as it changes: one thread looks, at most twice a second and no more than
 * half of its time, and any number of viewers read. Nothing is kept for a viewer: whoever is slow
 * gets all at once. Safe for concurrent use.
 */
final class BoardFeed implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(BoardFeed.class);

  private static final Duration SHORTEST_PAUSE = Duration.ofMillis(500);
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(2);
  private static final int REMEMBERED = 200;

  /** Of all changes that are remembered, in characters: whoever knows less gets the whole view. */
  private static final long MOST_REMEMBERED = 8_000_000;

  /** A change as it is sent. */
  record Change(long number, String json) {}

  /** What a viewer has to be told. */
  sealed interface News {

    /** All of it. */
    record Whole(long number, String json) implements News {}

    /** What has happened since, in order. */
    record Changes(List<Change> changes) implements News {}

    /**
     * Nothing.
     *
     * @param asOf the time that the view is of; empty while there is none
     * @param why there is no view yet
     */
    record None(Optional<String> asOf, Optional<String> why) implements News {}
  }

  private final BoardSource source;
  private final BoardReading reading;
  private final InstantSource clock;
  private final JsonMapper mapper = JsonMapper.builder().build();
  private final Thread thread;
  private final ArrayDeque<Change> changes = new ArrayDeque<>();
  private Optional<BoardView> latest = Optional.empty();
  private Optional<Seen> seen = Optional.empty();
  private Optional<String> whole = Optional.empty();
  private long remembered;

  /** Why the last look has led to no view, if that is so: until another one leads to one. */
  private Optional<String> fault = Optional.empty();

  private volatile boolean isClosed;

  BoardFeed(BoardSource source, BoardReading reading, InstantSource clock) {
    this.source = source;
    this.reading = reading;
    this.clock = clock;
    this.thread = Thread.ofPlatform().daemon().name("muster-board").unstarted(this::run);
  }

  /** Begins to look. */
  void start() {
    thread.start();
  }

  private void run() {
    try {
      while (!isClosed) {
        long began = System.nanoTime();
        look();
        var took = Duration.ofNanos(System.nanoTime() - began);
        Thread.sleep(took.compareTo(SHORTEST_PAUSE) > 0 ? took : SHORTEST_PAUSE);
        source.awaitChange(LONGEST_WAIT);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  private void look() throws InterruptedException {
    try {
      var found = source.look();
      if (found.isPresent()) {
        publish(found.get());
      } else {
        seenAgain();
      }
    } catch (KubernetesClientException e) {
      LOG.atWarn().addKeyValue("message", e.getMessage()).log("the cluster could not be looked at");
      mark(Optional.of(ApiRefusal.sentence(e)));
    } catch (RuntimeException | OutOfMemoryError | StackOverflowError e) {
      LOG.atError().setCause(e).log("the view could not be worked out");
      fail("the view could not be worked out: " + e.getMessage());
    }
  }

  private void publish(Seen found) {
    var view = reading.view(found, latest().map(before -> before.number() + 1).orElse(1L));
    publish(view, Optional.of(found));
  }

  /** All is as it was; what could not be worked out before cannot be now. */
  private synchronized void seenAgain() {
    if (fault.isEmpty()) {
      mark(Optional.empty());
      latest =
          latest.map(view ->
              view.source().kind().equals(BoardView.CLUSTER)
                  ? view.of(clock.instant().toString())
                  : view);
      whole = Optional.empty();
    }
  }

  private synchronized void fail(String why) {
    mark(Optional.of(why));
    fault = Optional.of(why);
  }

  /** The last view stays, and says why it may be behind, if it may. */
  private synchronized void mark(Optional<String> why) {
    if (latest.isEmpty()) {
      fault = why;
    }
    latest
        .map(before -> before.marked(why, before.number() + 1))
        .ifPresent(view -> publish(view, Optional.empty()));
  }

  /**
   * Shows that view from now on.
   *
   * @param found what it was made of; empty: what the one before was
   */
  synchronized void publish(BoardView view, Optional<Seen> found) {
    if (found.isPresent()) {
      seen = found;
      fault = Optional.empty();
    }
    if (latest.isPresent()) {
      var change = BoardChange.between(latest.get(), view);
      if (change.isEmpty()) {
        latest = latest.map(same -> same.of(view.asOf()));
        whole = Optional.empty();
        return;
      }
      remember(change.get());
    }
    latest = Optional.of(view);
    whole = Optional.empty();
    notifyAll();
  }

  private void remember(BoardChange change) {
    var text = json(change);
    changes.addLast(new Change(change.number(), text));
    remembered += text.length();
    while (changes.size() > REMEMBERED || remembered > MOST_REMEMBERED) {
      remembered -= changes.removeFirst().json().length();
    }
  }

  private synchronized Optional<BoardView> latest() {
    return latest;
  }

  /** What was seen last; empty before anything was. */
  synchronized Optional<Seen> seen() {
    return seen;
  }

  /**
   * What is new to a viewer that knows all up to that number; waits until there is something.
   *
   * @param known 0: it knows nothing
   */
  synchronized News after(long known, Duration longest) throws InterruptedException {
    long until = System.nanoTime() + longest.toNanos();
    while (latest.isEmpty() || latest.get().number() <= known) {
      long left = Duration.ofNanos(until - System.nanoTime()).toMillis();
      if (left <= 0 || isClosed) {
        return new News.None(latest.map(BoardView::asOf), fault);
      }
      wait(left);
    }
    boolean isRemembered =
        known > 0 && !changes.isEmpty() && changes.getFirst().number() <= known + 1;
    return isRemembered
        ? new News.Changes(changes.stream().filter(one -> one.number() > known).toList())
        : new News.Whole(latest.get().number(), whole());
  }

  /** The whole view as JSON; made once for all who ask. */
  private String whole() {
    var text = whole.orElseGet(() -> json(latest.orElseThrow()));
    whole = Optional.of(text);
    return text;
  }

  private String json(Object document) {
    try {
      return mapper.writeValueAsString(document);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether it has ended. */
  boolean isClosed() {
    return isClosed;
  }

  @Override
  public void close() {
    isClosed = true;
    thread.interrupt();
    synchronized (this) {
      notifyAll();
    }
    source.close();
  }
}
