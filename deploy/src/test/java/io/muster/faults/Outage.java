package io.muster.faults;

import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.e2e.GangManifest;
import io.muster.sandbox.Await;
import io.muster.sandbox.MusterProcess;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.SandboxException;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Muster is away for a while, and pods that do not concern it come and go as well as some that do.
 * Confined to one thread.
 */
public final class Outage {

  private static final Duration LIMIT = Duration.ofSeconds(90);
  private static final Duration APART = Duration.ofSeconds(2);

  private final TestSpace space;
  private final MusterProcess muster;
  private final InstantSource clock;

  /**
   * What was seen.
   *
   * @param away how long it was away, its start included
   * @param waits of the pods that ask for CPU alone, made one after the other during the outage,
   *     from their creation until they were bound
   * @param gangPodAdmitted whether a member of a gang could be created meanwhile
   * @param whole from the end of the outage until everything was bound
   */
  public record Outcome(
      Duration away, List<Duration> waits, boolean gangPodAdmitted, Duration whole) {

    public Outcome {
      waits = List.copyOf(waits);
    }

    public Duration longestWait() {
      return waits.stream().max(Duration::compareTo).orElseThrow();
    }
  }

  public Outage(TestSpace space, MusterProcess muster, InstantSource clock) {
    this.space = space;
    this.muster = muster;
    this.clock = clock;
  }

  /** It is stopped by SIGSTOP while a gang is on its way and goes on after that time. */
  public Outcome frozenFor(Duration time) {
    return during(time, muster::freeze, muster::resume);
  }

  /** It is killed while a gang is on its way and started again after that time. */
  public Outcome deadFor(Duration time) {
    return during(time, muster::kill, muster::start);
  }

  private Outcome during(Duration time, Runnable begin, Runnable end) {
    space.nodes(6, NodeShape.GPU1);
    var gang = GangManifest.of(space, "train", 4);
    var created = new HashMap<String, Instant>();
    var bound = new HashMap<String, Instant>();
    gang.create();
    begin.run();
    var begunAt = clock.instant();
    boolean admitted;
    try {
      // Passes the webhook unseen and keeps kube-scheduler busy with calls that nobody answers.
      var single = lonely("single", 1);
      single.create(single.pod("single"));
      for (int i = 0; i * APART.toMillis() < time.toMillis(); i++) {
        var due = APART.multipliedBy(i);
        Await.until("the next pod", LIMIT, () -> isPast(begunAt.plus(due)));
        var name = "ordinary-" + i;
        var manifest = lonely(name, 0);
        created.put(name, clock.instant());
        manifest.create(manifest.pod(name));
        note(created, bound);
      }
      admitted = isAdmitted(GangManifest.of(space, "late", 1));
      Await.within(
          time.minus(Duration.between(begunAt, clock.instant())),
          () -> note(created, bound) && isPast(begunAt.plus(time)));
    } finally {
      end.run();
    }
    var endedAt = clock.instant();
    Await.until(
        "all to be bound",
        LIMIT,
        () -> note(created, bound) && gang.running() == 4 && isBound("single"));
    var whole = Duration.between(endedAt, clock.instant());
    var waits = new ArrayList<Duration>();
    for (int i = 0; i < created.size(); i++) {
      waits.add(Duration.between(created.get("ordinary-" + i), bound.get("ordinary-" + i)));
    }
    return new Outcome(Duration.between(begunAt, endedAt), waits, admitted, whole);
  }

  private boolean isPast(Instant time) {
    return !clock.instant().isBefore(time);
  }

  /** Notes which are bound; whether all are. */
  private boolean note(Map<String, Instant> created, Map<String, Instant> bound) {
    for (var pod : space.client().pods().inNamespace(space.namespace()).list().getItems()) {
      if (pod.getSpec().getNodeName() != null && created.containsKey(pod.getMetadata().getName())) {
        bound.putIfAbsent(pod.getMetadata().getName(), clock.instant());
      }
    }
    return bound.keySet().containsAll(created.keySet());
  }

  private boolean isBound(String name) {
    var pod = space.client().pods().inNamespace(space.namespace()).withName(name).get();
    return pod.getSpec().getNodeName() != null;
  }

  private static boolean isAdmitted(GangManifest gang) {
    // A client that tries once: each try takes the webhook's timeout.
    var once =
        new ConfigBuilder(gang.space().client().getConfiguration())
            .withRequestRetryBackoffLimit(0)
            .build();
    try (var client = new KubernetesClientBuilder().withConfig(once).build()) {
      gang.pods().forEach(pod -> client.pods().resource(pod).create());
      return true;
    } catch (KubernetesClientException e) {
      if (e.getMessage().contains("failed calling webhook \"gang-pods.muster.io\"")) {
        return false;
      }
      throw new SandboxException("the refusal is another one: " + e.getMessage(), e);
    }
  }

  private GangManifest lonely(String name, int gpus) {
    return GangManifest.of(space, name, 1)
        .without(GangManifest.NAME)
        .without(GangManifest.MIN)
        .gpus(gpus);
  }
}
