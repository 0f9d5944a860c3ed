package io.muster.deploy.board.feed;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;

/**
 * One view as it changes, for all viewers who may see the same. Nothing is kept for a viewer:
 * whoever is slow gets all at once. Safe for concurrent use.
 */
public final class ViewLog {

  private static final int REMEMBERED = 200;

  /** A change as it is sent. */
  public record Change(long number, String json) {}

  /** What a viewer has to be told. */
  public sealed interface News {

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

  private final String run;
  private final long mostRemembered;
  private final JsonMapper mapper = JsonMapper.builder().build();
  private final ArrayDeque<Change> changes = new ArrayDeque<>();
  private Optional<BoardView> latest = Optional.empty();
  private Optional<String> whole = Optional.empty();
  private Optional<String> fault = Optional.empty();
  private long remembered;
  private boolean isClosed;

  /**
   * @param run names this log: numbers of changes mean nothing in another one
   * @param mostRemembered of all changes that are remembered, in characters: whoever knows less
   *     gets the whole view
   */
  ViewLog(String run, long mostRemembered) {
    this.run = run;
    this.mostRemembered = mostRemembered;
  }

  public String run() {
    return run;
  }

  /** Shows that view from now on, under the next number if it is another one. */
  synchronized void show(BoardView view) {
    fault = Optional.empty();
    whole = Optional.empty();
    var next = view.as(run, latest.map(BoardView::number).orElse(0L) + 1);
    var change = latest.flatMap(before -> BoardChange.between(before, next));
    if (latest.isPresent() && change.isEmpty()) {
      latest = latest.map(same -> same.at(view.asOf()));
      return;
    }
    change.ifPresent(this::remember);
    latest = Optional.of(next);
    notifyAll();
  }

  /** Says why there is no view yet. */
  synchronized void fail(String why) {
    fault = Optional.of(why);
  }

  private void remember(BoardChange change) {
    var text = json(change);
    changes.addLast(new Change(change.number(), text));
    remembered += text.length();
    while (changes.size() > REMEMBERED || remembered > mostRemembered) {
      remembered -= changes.removeFirst().json().length();
    }
  }

  /**
   * What is new to a viewer that knows all up to that number; waits until there is something.
   *
   * @param known 0: it knows nothing
   */
  public synchronized News after(long known, Duration longest) throws InterruptedException {
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

  /** Nobody waits for it any more. */
  synchronized void close() {
    isClosed = true;
    notifyAll();
  }
}
