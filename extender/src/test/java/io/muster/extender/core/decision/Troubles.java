package io.muster.extender.core.decision;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;

import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.Taint;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What goes wrong in a history: users and owners delete, other pods come, nodes change and go,
 * Muster stands still, dies or is followed by another, the apiserver is away. Who is hit is drawn
 * when it happens.
 */
final class Troubles {

  private static final String OTHERS = "other-";

  private final ClusterSimulation cluster;
  private final List<AdverseGang> gangs;
  private final Random random;

  /** Nodes as they were made; what has become of them is put right in the end. */
  private final Map<String, Node> sound = new TreeMap<>();

  private int others;

  Troubles(ClusterSimulation cluster, List<AdverseGang> gangs, Random random) {
    this.cluster = cluster;
    this.gangs = gangs;
    this.random = random;
  }

  void make(Node node) {
    sound.put(node.name(), node);
    cluster.addNode(node);
  }

  /** One trouble of any kind. */
  void any() {
    switch (random.nextInt(16)) {
      case 0 -> deleteAtOnce();
      case 1 -> deleteOneAfterTheOther();
      case 2 -> deleteAll();
      case 3, 4 -> takeRoom();
      case 5 -> takeRoomEverywhere();
      case 6 -> changeForAWhile(Trouble.NOT_READY);
      case 7 -> changeForAWhile(Trouble.CORDON);
      case 8 -> changeForAWhile(Trouble.TAINT);
      case 9 -> changeForAWhile(Trouble.DEVICES);
      case 10 -> removeForAWhile();
      case 11 -> addOrRemove();
      case 12 -> cluster.muster.stopFor(upTo(60_000));
      case 13 -> outage();
      case 14 -> lead();
      default -> end();
    }
  }

  /** What a node may suffer. */
  private enum Trouble {
    NOT_READY,
    CORDON,
    TAINT,
    DEVICES
  }

  private Duration upTo(int millis) {
    return Duration.ofMillis(random.nextInt(millis) + 1L);
  }

  private void deferred(Duration time, Runnable action) {
    cluster.after(time.toMillis(), action);
  }

  private List<String> liveOf(AdverseGang gang) {
    var uids =
        new ArrayList<>(
            cluster.pods.values().stream()
                .filter(gang::isOf)
                .filter(ToldCluster::isLive)
                .map(pod -> pod.key().uid())
                .toList());
    Collections.shuffle(uids, random);
    return uids;
  }

  private AdverseGang anyGang() {
    return gangs.get(random.nextInt(gangs.size()));
  }

  private void deleteAtOnce() {
    liveOf(anyGang()).stream().limit(1L + random.nextInt(4)).forEach(cluster::delete);
  }

  private void deleteOneAfterTheOther() {
    var wait = Duration.ZERO;
    for (var uid : liveOf(anyGang())) {
      deferred(wait, () -> cluster.delete(uid));
      wait = wait.plus(upTo(1_500));
    }
  }

  private void deleteAll() {
    liveOf(anyGang()).forEach(cluster::delete);
  }

  private void end() {
    var gang = anyGang();
    if (random.nextBoolean()) {
      liveOf(gang).forEach(cluster::complete);
    } else {
      liveOf(gang).stream().limit(1).forEach(uid -> cluster.fail(uid, ""));
    }
  }

  /** A pod of another scheduler lands where there is room. */
  private void takeRoom() {
    for (var node : new TreeSet<>(cluster.nodes.keySet())) {
      long free = cluster.freeGpus(node);
      if (free > 0 && random.nextInt(3) == 0) {
        land(node, 1 + random.nextInt((int) Math.min(free, 4)));
        return;
      }
    }
  }

  /** As a DaemonSet does. */
  private void takeRoomEverywhere() {
    for (var node : new TreeSet<>(cluster.nodes.keySet())) {
      if (cluster.freeGpus(node) > 0) {
        land(node, 1);
      }
    }
  }

  private void land(String node, long gpus) {
    var pod =
        aPod(OTHERS + others++)
            .scheduler("another")
            .bare()
            .gpus(gpus)
            .on(node)
            .phase(Pod.Phase.RUNNING)
            .createdAt(cluster.now())
            .build();
    cluster.land(pod);
    if (random.nextInt(4) > 0) {
      deferred(upTo(40_000), () -> cluster.delete(pod.key().uid()));
    }
  }

  private String anyNode() {
    var names = List.copyOf(sound.keySet());
    return names.get(random.nextInt(names.size()));
  }

  private void changeForAWhile(Trouble trouble) {
    var name = anyNode();
    if (cluster.nodes.containsKey(name)) {
      cluster.addNode(hit(sound.get(name), trouble));
      deferred(upTo(20_000), () -> restore(name));
    }
  }

  private Node hit(Node node, Trouble trouble) {
    long gpus = node.allocatable().of("nvidia.com/gpu");
    var changed = aNode(node.name());
    return switch (trouble) {
      case NOT_READY -> changed.gpus(gpus).availability(Node.Availability.NOT_READY).build();
      case CORDON -> changed.gpus(gpus).availability(Node.Availability.CORDONED).build();
      case TAINT -> changed.gpus(gpus).taint("broken", "", Taint.Effect.NO_SCHEDULE).build();
      case DEVICES -> changed.gpus(random.nextInt((int) gpus)).build();
    };
  }

  private void restore(String name) {
    if (cluster.nodes.containsKey(name)) {
      cluster.addNode(sound.get(name));
    }
  }

  private void removeForAWhile() {
    var name = anyNode();
    cluster.removeNode(name);
    deferred(upTo(30_000), () -> cluster.addNode(sound.get(name)));
  }

  private void addOrRemove() {
    if (random.nextBoolean()) {
      cluster.removeNode(anyNode());
    } else {
      make(aNode("late" + sound.size()).gpus(1L + random.nextInt(4)).build());
    }
  }

  /** Nobody is answered, and watches hang. */
  private void outage() {
    var time = upTo(60_000);
    cluster.api.isDownFor(time);
    cluster.muster.longestLagMillis = 10_000;
    deferred(time, () -> cluster.muster.longestLagMillis = 50);
  }

  private void lead() {
    switch (random.nextInt(3)) {
      case 0 -> cluster.restartAfter(upTo(900));
      case 1 -> cluster.scheduler.restart();
      default -> cluster.changeLeaderAfter(upTo(2_000));
    }
  }

  /** Nodes that are there are as they were made, and writes are fast. */
  void calmDown() {
    List.copyOf(cluster.nodes.keySet()).forEach(this::restore);
    cluster.longestGangWriteMillis = 20;
    cluster.longestPodWriteMillis = 30;
    cluster.muster.longestLagMillis = 50;
  }
}
