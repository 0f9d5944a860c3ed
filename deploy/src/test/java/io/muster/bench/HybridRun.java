package io.muster.bench;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.sandbox.Await;
import io.muster.sandbox.Layout;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxException;
import io.muster.sandbox.SandboxOptions;
import io.muster.sandbox.StateDirectory;
import io.muster.simulator.edl.ServiceBesideTraining;
import io.muster.simulator.edl.ServiceBesideTraining.Run;
import io.muster.simulator.edl.ServiceBesideTraining.Second;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * The published experiment beside an online service in real time, on a control plane of its own
 * with Muster as shipped: what is to be done in each second is done, and what is so then is noted.
 * Confined to one thread.
 */
final class HybridRun {

  private static final Duration READY = Duration.ofSeconds(90);
  private static final long SECOND = 1_000_000_000L;
  private static final int SAID_EVERY = 30;
  private static final double TOLERATED_LAG = 0.5;

  private final ServiceBesideTraining plan;
  private final Sandbox sandbox;
  private final KubernetesClient client;
  private final PodTally tally;
  private final List<Second> seconds = new ArrayList<>();
  private final List<Future<?>> requests = new ArrayList<>();
  private final int[] wholeAt;
  private double worstLag;

  private HybridRun(ServiceBesideTraining plan, Sandbox sandbox, PodTally tally) {
    this.plan = plan;
    this.sandbox = sandbox;
    this.client = sandbox.client();
    this.tally = tally;
    this.wholeAt = plan.arrivals().stream().mapToInt(_ -> plan.stop()).toArray();
  }

  /** All of it, from an empty machine to an empty machine. */
  static Run of(ServiceBesideTraining plan) {
    var layout = Layout.current();
    var state = new StateDirectory(layout.deploy().resolve("target/sandbox/bench"));
    try (var sandbox = Sandbox.start(layout, SandboxOptions.withMuster(state).startingSlowly());
        var tally = new PodTally(sandbox.client(), Manifests.NAMESPACE)) {
      var run = new HybridRun(plan, sandbox, tally);
      run.prepare();
      return run.play();
    }
  }

  private void prepare() {
    for (var namespace : List.of(Manifests.NAMESPACE, HybridObjects.SYSTEM)) {
      client.resource(Manifests.namespace(namespace)).create();
    }
    var nodes = plan.nodes();
    Crowd.each(
        nodes, node -> client.resource(HybridObjects.node(node.name(), node.cores())).create());
    Await.until(
        "the nodes to be Ready",
        READY,
        () -> sandbox.nodes().ready(Map.of()).size() == nodes.size());
    Crowd.each(
        nodes,
        node ->
            client
                .resource(
                    HybridObjects.systemPod(node.name(), ServiceBesideTraining.SYSTEM_CPU_MILLIS))
                .create());
    CpuTimes.awaitQuiet(sandbox.state());
    System.out.printf(
        "  %d nodes, %.0f CPU, %d jobs%n",
        nodes.size(), plan.cpuMillis() / 1e3, plan.arrivals().size());
  }

  private Run play() {
    var cpu = CpuTimes.now(sandbox.state());
    long begin = System.nanoTime() + plan.warmUp() * SECOND;
    try (var clients = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int now = -plan.warmUp(); now < plan.stop(); now++) {
        awaitMoment(begin + now * SECOND);
        act(now, clients);
        look(now);
      }
      finish();
    }
    double lasted = plan.warmUp() + plan.stop();
    var used = CpuTimes.now(sandbox.state()).since(cpu);
    System.out.printf(
        "  CPU seconds in %.0f s: %s%n  latest look: %.2f s behind its second%n",
        lasted, used, worstLag);
    if (worstLag > TOLERATED_LAG) {
      System.out.println("  This machine was too busy for a look every second.");
    }
    return new Run(seconds, (int) tally.left("-trainer-"), neverWhole(), meanWait());
  }

  private void awaitMoment(long moment) {
    for (long left = moment - System.nanoTime(); left > 0; left = moment - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
    worstLag = Math.max(worstLag, (System.nanoTime() - moment) / 1e9);
  }

  /** Asks the API server for what is due, and waits for no answer. */
  private void act(int now, ExecutorService clients) {
    int service = plan.serviceAt(now);
    if (now == -plan.warmUp()) {
      var text = HybridObjects.service(service, plan.serviceCpu());
      requests.add(clients.submit(() -> client.resource(text).create()));
    } else if (service != plan.serviceAt(now - 1)) {
      requests.add(
          clients.submit(() ->
              client
                  .apps()
                  .deployments()
                  .inNamespace(Manifests.NAMESPACE)
                  .withName(HybridObjects.SERVICE)
                  .scale(service)));
    }
    for (int i = 0; i < plan.arrivals().size(); i++) {
      if (plan.arrivals().get(i) == now) {
        var text = HybridObjects.job(job(i), plan.shape(), plan.grace());
        requests.add(clients.submit(() -> client.resource(text).create()));
      }
    }
  }

  private static String job(int number) {
    return "job-%02d".formatted(number);
  }

  private void look(int now) {
    int service = plan.serviceAt(now);
    long serving = tally.count(pod -> pod.isUp() && pod.isOf(HybridObjects.SERVICE + "-"));
    long trainers = tally.count(pod -> pod.isUp() && pod.name().contains("-trainer-"));
    long system = (long) ServiceBesideTraining.SYSTEM_CPU_MILLIS * plan.nodes().size();
    double used = (double) (tally.cpuStarted() + system) / plan.cpuMillis();
    if (now >= 0) {
      seconds.add(new Second(used, (int) trainers, (int) Math.max(0, service - serving)));
      IntStream.range(0, wholeAt.length)
          .filter(i -> wholeAt[i] == plan.stop() && isWhole(job(i)))
          .forEach(i -> wholeAt[i] = now);
    }
    if (now % SAID_EVERY == 0) {
      System.out.printf(
          "    %4d s: %3d of %3d of the service, %3d trainers, %.1f %% used%n",
          now, serving, service, trainers, 100 * used);
    }
  }

  private boolean isWhole(String job) {
    long servers =
        tally.count(
            pod -> pod.isUp() && (pod.isOf(job + "-pserver-") || pod.isOf(job + "-master-")));
    return servers == plan.shape().pservers() + 1
        && tally.count(pod -> pod.isUp() && pod.isOf(job + "-trainer-")) >= plan.shape().least();
  }

  private int neverWhole() {
    return (int) IntStream.of(wholeAt).filter(at -> at == plan.stop()).count();
  }

  private double meanWait() {
    return IntStream.range(0, wholeAt.length)
        .mapToDouble(i -> wholeAt[i] - plan.arrivals().get(i))
        .average()
        .orElse(0);
  }

  /** A request that was refused spoils all that came after it. */
  private void finish() {
    for (var request : requests) {
      try {
        request.get(READY.toSeconds(), TimeUnit.SECONDS);
      } catch (ExecutionException e) {
        throw new SandboxException("A request failed: " + e.getCause().getMessage(), e);
      } catch (TimeoutException e) {
        throw new SandboxException("A request was not answered.", e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new SandboxException("The run was interrupted.", e);
      }
    }
  }
}
