package io.muster.played;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.e2e.GangManifest;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Gangs of two, one after the other, each over new connections of the API server to the webhook and
 * of kube-scheduler to the extender. Whatever fails is kept. Closing it ends them. Safe for
 * concurrent use.
 */
final class GangsOneByOne implements AutoCloseable {

  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int MEMBERS = 2;

  private final PlayedCluster cluster;
  private final TestSpace space;
  private final Thread thread;
  private final AtomicInteger ran = new AtomicInteger();
  private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
  private volatile boolean isOpen = true;

  GangsOneByOne(PlayedCluster cluster, TestSpace space) {
    this.cluster = cluster;
    this.space = space;
    space.nodes(1, NodeShape.GPU4);
    thread = Thread.ofPlatform().daemon().name("gangs").start(this::create);
  }

  /** How many have run. */
  int ran() {
    return ran.get();
  }

  List<String> failures() {
    return List.copyOf(failures);
  }

  /** Waits for two more that begin from now on. */
  void awaitMore() {
    int before = ran.get();
    Await.until(
        "gangs over new connections",
        LIMIT.multipliedBy(4),
        () -> ran.get() > before + 2 || !failures.isEmpty());
  }

  private void create() {
    for (int i = 0; isOpen; i++) {
      var gang = GangManifest.of(space, "gang-" + i, MEMBERS);
      try {
        gang.create();
        if (!Await.within(LIMIT, () -> gang.running() == MEMBERS)) {
          failures.add(gang.name() + " does not run");
        }
        cluster.cutCallers();
        gang.delete();
        if (!Await.within(LIMIT, () -> gang.stored().isEmpty())) {
          failures.add(gang.name() + " does not go");
        }
        ran.incrementAndGet();
      } catch (KubernetesClientException e) {
        failures.add(gang.name() + ": " + e.getMessage());
      }
    }
  }

  @Override
  public void close() {
    isOpen = false;
    try {
      thread.join(LIMIT.multipliedBy(2));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
