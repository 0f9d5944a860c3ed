package io.muster.deploy.board.feed;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.deploy.config.Config;
import io.muster.deploy.serve.ClusterAccess;
import io.muster.deploy.view.ForeseenStarts;
import io.muster.deploy.view.LeaderLiveness;
import io.muster.extender.core.cluster.Levels;
import io.muster.extender.core.decision.Replay;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.core.protocol.ClusterMirror;
import io.muster.extender.core.protocol.ClusterView;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.ExpectedStart;
import io.muster.extender.core.queue.Queues;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.extender.kube.gang.GangDirectory;
import io.muster.extender.kube.snapshot.ClusterReading;
import io.muster.extender.kube.watch.ClusterFeed;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A whole cluster, watched with the rights of whoever opened it. Gangs are told of in the words of
 * their objects; how the queues stand and what is reserved is worked out anew after each change, by
 * a {@link Replay}. Safe for concurrent use.
 */
public final class LiveCluster implements BoardSource {

  private static final Duration FIRST_READ = Duration.ofSeconds(60);

  /** What depends on time alone is worked out again after that. */
  private static final Duration AGES = Duration.ofSeconds(30);

  /** Starts are worked out again after so many times what that took, and not before. */
  private static final int STARTS_APART = 20;

  private static final Duration SHORTEST_STARTS_APART = Duration.ofSeconds(10);

  private final String name;
  private final Config settings;
  private final InstantSource clock;
  private final KubernetesClient client;
  private final KubernetesClient asking;
  private final ClusterMirror mirror;
  private final ClusterFeed feed;
  private final GangObjectsFeed gangs;
  private final LeaderLiveness leader;
  private final CountDownLatch ready = new CountDownLatch(1);

  private final ChangeSignal changed = new ChangeSignal();
  private Optional<BoardView.Source> lastSource = Optional.empty();
  private Instant lastLook = Instant.EPOCH;
  private Map<GangId, ExpectedStart> starts = Map.of();
  private long startsDueNanos = System.nanoTime();

  /**
   * Begins to watch.
   *
   * @param name of the cluster, for people
   * @throws KubernetesClientException if the API server refuses what it takes
   */
  public static LiveCluster open(
      String name, KubernetesClient client, Config settings, InstantSource clock) {
    ClusterReading.requireRights(client);
    var cluster = new LiveCluster(name, client, settings, clock);
    cluster.feed.start();
    cluster.gangs.start();
    return cluster;
  }

  private LiveCluster(String name, KubernetesClient client, Config settings, InstantSource clock) {
    this.name = name;
    this.client = client;
    this.settings = settings;
    this.clock = clock;
    this.mirror = new ClusterMirror(settings.rules(), settings.deadlines());
    var translation = new PodConverter(new DialectDetector(), settings.schedulers());
    this.feed =
        new ClusterFeed(client, settings.place(), translation, new GangDirectory(), this::take);
    this.gangs = GangObjectsFeed.ofAll(client, changed::raise);
    this.asking = ClusterAccess.forReading(settings);
    this.leader = new LeaderLiveness(asking, settings);
  }

  private void take(Event event) {
    synchronized (this) {
      mirror.take(event);
    }
    if (event instanceof Event.Ready) {
      ready.countDown();
    }
    changed.raise();
  }

  @Override
  public Optional<Seen> look() throws InterruptedException {
    if (!ready.await(FIRST_READ.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new KubernetesClientException(
          "the cluster could not be read within %ds".formatted(FIRST_READ.toSeconds()));
    }
    var now = clock.instant();
    var queues = queues();
    boolean isLed = leader.isLed();
    var source = source(isLed, queues.isEmpty());
    boolean isSame = lastSource.equals(Optional.of(source)) && now.isBefore(lastLook.plus(AGES));
    if (!changed.lower() && isSame) {
      return Optional.empty();
    }
    // Until it is seen, or a look that comes to nothing would be the last one at that change.
    lastSource = Optional.empty();
    var levels = ClusterReading.levels(asking, settings.place().ownNamespace());
    var view = view(queues.orElse(Queues.NONE), levels, now);
    lastLook = now;
    lastSource = Optional.of(source);
    return Optional.of(
        new Seen(
            source,
            now,
            Optional.of(new Replay(view)),
            Seen.byNamespace(view.pods()),
            gangs.objects(),
            isLed ? Map.of() : starts(view)));
  }

  private synchronized ClusterView view(Queues queues, Levels levels, Instant now) {
    mirror.take(new Event.QueuesSet(queues));
    mirror.take(new Event.LevelsSet(levels));
    return mirror.view(now);
  }

  private synchronized boolean isReleased() {
    return mirror.isReleased();
  }

  /**
   * Empty for those who may not read them. An API server that does not answer is found out by this.
   */
  private Optional<Queues> queues() {
    try {
      return Optional.of(ClusterReading.queues(asking, settings.place().ownNamespace()));
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private BoardView.Source source(boolean isLed, boolean lacksQueues) {
    return new BoardView.Source(
        BoardView.CLUSTER,
        name,
        isLed,
        isReleased(),
        null,
        lacksQueues ? List.of("queues: the ConfigMap muster-queues cannot be read") : List.of(),
        null);
  }

  /** Only the thread that looks works them out. */
  private Map<GangId, ExpectedStart> starts(ClusterView view) {
    long began = System.nanoTime();
    if (began - startsDueNanos >= 0) {
      starts = ForeseenStarts.of(new Replay(view));
      long took = System.nanoTime() - began;
      startsDueNanos =
          began + Math.max(SHORTEST_STARTS_APART.toNanos(), Math.multiplyExact(STARTS_APART, took));
    }
    return starts;
  }

  @Override
  public void awaitChange(Duration longest) throws InterruptedException {
    changed.await(longest);
  }

  @Override
  public List<GangPage.EventRow> events(GangId gang) {
    return gangs.events(asking, gang);
  }

  @Override
  public void close() {
    feed.close();
    gangs.close();
    client.close();
    asking.close();
  }
}
