package io.muster.deploy.board.feed;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.deploy.board.access.Access;
import io.muster.deploy.board.history.History;
import io.muster.deploy.config.ApiRefusal;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the board shows, as it changes: one thread looks, as often as its {@link Pace} lets it, and
 * any number of viewers read, each what it may see. Safe for concurrent use.
 */
public final class BoardFeed implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(BoardFeed.class);

  private static final Duration LONGEST_WAIT = Duration.ofSeconds(2);

  /** Whoever looks at a view asks for it more often. */
  private static final Duration WATCHED_FOR = Duration.ofSeconds(40);

  /** While nobody looks there is the history to be kept. */
  private static final Duration UNWATCHED_PAUSE = Duration.ofSeconds(5);

  /** A look that takes longer has come to nothing. */
  private static final Duration LONGEST_LOOK = Duration.ofMinutes(5);

  /** A log that nobody has asked for so long is dropped. */
  private static final Duration KEPT = Duration.ofMinutes(1);

  /** For viewers who may not see all; more than there may be streams. */
  private static final int MOST_LOGS = 120;

  /** Characters of changes that are remembered. */
  private static final long REMEMBERED_OF_ALL = 8_000_000;

  private static final long REMEMBERED_OF_NARROW = 400_000;

  /** What is shown to those who may see no more than the filter lets through. */
  private static final class Narrow {
    private final ViewLog log;
    private final ViewFilter filter;
    private long usedNanos = System.nanoTime();

    Narrow(ViewLog log, ViewFilter filter) {
      this.log = log;
      this.filter = filter;
    }
  }

  private final String run;
  private final BoardSource source;
  private final BoardReading reading;
  private final InstantSource clock;
  private final Duration watchedFor;
  private final History history = new History();
  private final Thread thread;
  private final ViewLog all;
  private final SharedCells shared = new SharedCells();
  private final Map<Access, Narrow> narrow = new HashMap<>();
  private long opened;
  private Optional<BoardView> latest = Optional.empty();
  private Optional<Seen> seen = Optional.empty();

  /** Why the last look has led to no view, if that is so: until another one leads to one. */
  private Optional<String> fault = Optional.empty();

  private final ChangeSignal asked = new ChangeSignal();
  private volatile long askedNanos = System.nanoTime();
  private volatile long lookedNanos = System.nanoTime();

  private volatile boolean isClosed;

  /**
   * @param run names this run of the server
   */
  public BoardFeed(String run, BoardSource source, BoardReading reading, InstantSource clock) {
    this(run, source, reading, clock, WATCHED_FOR);
  }

  /**
   * The same.
   *
   * @param watchedFor after a view was asked for, somebody looks for so long
   */
  BoardFeed(
      String run,
      BoardSource source,
      BoardReading reading,
      InstantSource clock,
      Duration watchedFor) {
    this.watchedFor = watchedFor;
    this.run = run;
    this.source = source;
    this.reading = reading;
    this.clock = clock;
    this.all = new ViewLog(run, REMEMBERED_OF_ALL);
    this.thread = Thread.ofPlatform().daemon().name("muster-board").unstarted(this::run);
  }

  /** Begins to look. */
  public void start() {
    thread.start();
  }

  private void run() {
    try {
      var threads = ManagementFactory.getThreadMXBean();
      var pace = new Pace(System.nanoTime());
      while (!isClosed) {
        long began = threads.getCurrentThreadCpuTime();
        tick();
        lookedNanos = System.nanoTime();
        Thread.sleep(pace.afterLook(threads.getCurrentThreadCpuTime() - began, lookedNanos));
        if (System.nanoTime() - askedNanos > watchedFor.toNanos()) {
          asked.lower();
          asked.await(UNWATCHED_PAUSE);
        }
        source.awaitChange(LONGEST_WAIT);
      }
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whatever goes wrong, the next one follows. */
  private void tick() throws InterruptedException {
    try {
      look();
      latest().ifPresent(view -> history.take(view.look(), clock.instant()));
    } catch (RuntimeException | StackOverflowError e) {
      LOG.atError().setCause(e).log("a look at the cluster failed");
    }
  }

  /** Whether it still looks. */
  public boolean isAlive() {
    return System.nanoTime() - lookedNanos < LONGEST_LOOK.toNanos();
  }

  private void look() throws InterruptedException {
    try {
      var found = source.look();
      if (found.isPresent()) {
        publish(reading.view(found.get()), found);
      } else {
        seenAgain();
      }
    } catch (KubernetesClientException e) {
      LOG.atWarn().addKeyValue("message", e.getMessage()).log("the cluster could not be looked at");
      mark(ApiRefusal.sentence(e));
    } catch (RuntimeException | OutOfMemoryError | StackOverflowError e) {
      LOG.atError().setCause(e).log("the view could not be worked out");
      fail("the view could not be worked out: " + e.getMessage());
    }
  }

  /** All is as it was; what could not be worked out before cannot be now. */
  private synchronized void seenAgain() {
    if (fault.isEmpty()) {
      latest
          .map(view -> view.marked(Optional.empty()))
          .map(view ->
              view.source().kind().equals(BoardView.CLUSTER)
                  ? view.at(clock.instant().toString())
                  : view)
          .ifPresent(this::show);
    }
  }

  private synchronized void fail(String why) {
    mark(why);
    fault = Optional.of(why);
  }

  /** The last view stays, and says why it may be behind. */
  private synchronized void mark(String why) {
    if (latest.isPresent()) {
      show(latest.get().marked(Optional.of(why)));
    } else {
      fault = Optional.of(why);
      all.fail(why);
      narrow.values().forEach(one -> one.log.fail(why));
    }
  }

  /**
   * Shows that view from now on.
   *
   * @param found what it was made of
   */
  synchronized void publish(BoardView view, Optional<Seen> found) {
    seen = found;
    fault = Optional.empty();
    show(view);
  }

  private void show(BoardView view) {
    latest = Optional.of(view);
    all.show(view);
    long now = System.nanoTime();
    narrow.values().removeIf(one -> now - one.usedNanos > KEPT.toNanos());
    narrow.values().forEach(one -> one.log.show(one.filter.of(view)));
  }

  /** What was shown over time. */
  public History history() {
    return history;
  }

  /** What was seen last; empty before anything was. */
  public synchronized Optional<Seen> seen() {
    return seen;
  }

  /** The name of the node that has that number in the view. */
  public synchronized Optional<String> nodeName(int number) {
    return latest.stream()
        .flatMap(view -> view.nodes().stream())
        .filter(node -> node.id() == number)
        .map(BoardView.NodeCell::name)
        .findFirst();
  }

  private synchronized Optional<BoardView> latest() {
    return latest;
  }

  /** Namespaces of gangs that are shown. */
  public synchronized Set<String> namespaces() {
    var found = new HashSet<String>();
    latest.ifPresent(view -> view.gangs().forEach(gang -> found.add(gang.namespace())));
    return found;
  }

  /** What is shown to those who may see so much. To be asked for again before each use. */
  public synchronized ViewLog log(Access access) {
    askedNanos = System.nanoTime();
    asked.raise();
    if (access.isAll()) {
      return all;
    }
    if (narrow.size() >= MOST_LOGS && !narrow.containsKey(access)) {
      // Whoever reads it asks again soon, and gets another one.
      narrow.entrySet().stream()
          .min(Comparator.comparingLong(one -> one.getValue().usedNanos))
          .map(Map.Entry::getKey)
          .ifPresent(narrow::remove);
    }
    var one = narrow.computeIfAbsent(access, this::open);
    one.usedNanos = System.nanoTime();
    return one.log;
  }

  private Narrow open(Access access) {
    var log = new ViewLog(run + "-" + ++opened, REMEMBERED_OF_NARROW);
    var one = new Narrow(log, new ViewFilter(access, shared));
    latest.ifPresent(view -> one.log.show(one.filter.of(view)));
    if (latest.isEmpty()) {
      fault.ifPresent(one.log::fail);
    }
    return one;
  }

  /** Whether it has ended. */
  public boolean isClosed() {
    return isClosed;
  }

  @Override
  public void close() {
    isClosed = true;
    thread.interrupt();
    synchronized (this) {
      all.close();
      narrow.values().forEach(one -> one.log.close());
    }
    source.close();
  }
}
