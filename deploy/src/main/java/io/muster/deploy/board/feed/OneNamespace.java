package io.muster.deploy.board.feed;

import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.muster.deploy.config.Config;
import io.muster.deploy.serve.ClusterAccess;
import io.muster.deploy.view.LeaderLiveness;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.kube.OnChange;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.extender.kube.gang.Gang;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The gangs and pods of one namespace, for those who may read no more: what a Muster says of the
 * gangs, or has last said, and nothing of nodes and queues. Safe for concurrent use.
 */
public final class OneNamespace implements BoardSource {

  private static final long NO_RESYNC = 0;

  /** Asked for to find out whether the API server answers. */
  private static final ListOptions ONE = new ListOptionsBuilder().withLimit(1L).build();

  private final String cluster;
  private final String namespace;
  private final String why;
  private final KubernetesClient client;
  private final KubernetesClient asking;
  private final InstantSource clock;
  private final GangObjectsFeed gangs;
  private final SharedIndexInformer<io.fabric8.kubernetes.api.model.Pod> informer;

  /** By their names. */
  private final Map<String, Pod> pods = new ConcurrentHashMap<>();

  private final LeaderLiveness leader;
  private final ChangeSignal changed = new ChangeSignal();
  private Optional<BoardView.Source> lastSource = Optional.empty();

  /**
   * Begins to watch.
   *
   * @param cluster its name, for people
   * @param why no more than the namespace can be seen
   * @throws KubernetesClientException if its gangs or pods cannot be read
   */
  public static OneNamespace open(
      String cluster,
      String namespace,
      String why,
      KubernetesClient client,
      Config settings,
      InstantSource clock) {
    client.resources(Gang.class).inNamespace(namespace).list();
    client.pods().inNamespace(namespace).list(ONE);
    var one = new OneNamespace(cluster, namespace, why, client, settings, clock);
    one.gangs.start();
    one.informer.start();
    return one;
  }

  private OneNamespace(
      String cluster,
      String namespace,
      String why,
      KubernetesClient client,
      Config settings,
      InstantSource clock) {
    this.cluster = cluster;
    this.namespace = namespace;
    this.why = why;
    this.client = client;
    this.clock = clock;
    this.asking = ClusterAccess.forReading(settings);
    this.leader = new LeaderLiveness(asking, settings);
    this.gangs = GangObjectsFeed.of(client, namespace, changed::raise);
    var translation = new PodConverter(new DialectDetector(), settings.schedulers());
    this.informer = client.pods().inNamespace(namespace).runnableInformer(NO_RESYNC);
    informer.exceptionHandler((_, _) -> true);
    informer.addEventHandler(
        new OnChange<>(
            pod -> {
              pods.put(pod.getMetadata().getName(), translation.pod(pod));
              changed.raise();
            },
            pod -> {
              pods.remove(pod.getMetadata().getName());
              changed.raise();
            }));
  }

  @Override
  public Optional<Seen> look() {
    asking.pods().inNamespace(namespace).list(ONE);
    var now = clock.instant();
    var source = source();
    if (!changed.lower() && lastSource.equals(Optional.of(source))) {
      return Optional.empty();
    }
    lastSource = Optional.of(source);
    return Optional.of(
        new Seen(
            source,
            now,
            Optional.empty(),
            Map.of(namespace, List.copyOf(pods.values())),
            gangs.objects(),
            Map.of()));
  }

  private BoardView.Source source() {
    boolean isLed = leader.isLed();
    var left = new ArrayList<String>();
    left.add("nodes, queues and other namespaces: " + why);
    if (!isLed) {
      left.add("why gangs wait now: no Muster is running, and what one last said of them is shown");
    }
    return new BoardView.Source(
        BoardView.CLUSTER, cluster, isLed, false, namespace, List.copyOf(left), null);
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
    informer.stop();
    gangs.close();
    client.close();
    asking.close();
  }
}
