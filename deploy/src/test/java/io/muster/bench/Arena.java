package io.muster.bench;

import io.muster.bench.probe.Terms;
import io.muster.extender.core.gang.GangKeys;
import io.muster.sandbox.Await;
import io.muster.sandbox.ExtenderEndpoint;
import io.muster.sandbox.Layout;
import io.muster.sandbox.ManagedProcess;
import io.muster.sandbox.MusterOptions;
import io.muster.sandbox.MusterProcess;
import io.muster.sandbox.NodeRequest;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Ports;
import io.muster.sandbox.Program;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxException;
import io.muster.sandbox.SandboxOptions;
import io.muster.sandbox.SandboxOptions.Audited;
import io.muster.sandbox.StateDirectory;
import io.muster.webhook.kube.Registration;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * One control plane on which the sides take turns: API server, etcd, controllers and nodes stay,
 * kube-scheduler starts anew with the side's configuration. Confined to one thread.
 */
final class Arena implements AutoCloseable {

  static final String NODE_PREFIX = "node";

  private static final Duration SWITCH_LIMIT = Duration.ofSeconds(60);
  private static final Duration CLEAN_LIMIT = Duration.ofMinutes(3);
  private static final String NOW =
      "{\"gracePeriodSeconds\":0,\"propagationPolicy\":\"Background\"}";

  private final Sandbox sandbox;
  private final Api api;
  private final int nodes;
  private final boolean servesPodGroups;
  private Side side = Side.BARE;
  private Optional<ManagedProcess> probe = Optional.empty();
  private Optional<MusterProcess> muster = Optional.empty();
  private Optional<Viewers> viewers = Optional.empty();
  private Optional<DraNodes> dra = Optional.empty();
  private int probeControl;

  private Arena(Sandbox sandbox, Api api, int nodes, boolean servesPodGroups) {
    this.sandbox = sandbox;
    this.api = api;
    this.nodes = nodes;
    this.servesPodGroups = servesPodGroups;
  }

  /** Starts the control plane, with so many nodes of 8 GPUs. */
  static Arena with(int nodes) {
    return with(nodes, Audited.WRITES);
  }

  /** The same for these sides. */
  static Arena with(int nodes, List<Side> sides) {
    return with(nodes, Audited.WRITES, sides.stream().anyMatch(Side::needsPodGroups));
  }

  /**
   * The same.
   *
   * @param audited what is noted of what Muster asks the API server for
   */
  static Arena with(int nodes, Audited audited) {
    return with(nodes, audited, false);
  }

  private static Arena with(int nodes, Audited audited, boolean withPodGroups) {
    var layout = Layout.current();
    var token = UUID.randomUUID().toString();
    var options =
        SandboxOptions.bare(new StateDirectory(layout.deploy().resolve("target/sandbox/bench")))
            .extraToken(token, "bench", "system:masters")
            .extraFlags(
                Program.SCHEDULER,
                "--authorization-always-allow-paths=/healthz,/readyz,/livez,/metrics")
            .auditing(audited);
    var sandbox = Sandbox.start(layout, withPodGroups ? NativeGangs.served(options) : options);
    var arena = new Arena(sandbox, new Api(sandbox, token), nodes, withPodGroups);
    try {
      if (nodes > 0) {
        sandbox.nodes().add(NodeRequest.of(NODE_PREFIX, nodes, NodeShape.GPU8));
      }
      arena
          .api
          .post("/api/v1/namespaces", Manifests.namespace(Manifests.NAMESPACE))
          .orFail("the namespace");
      return arena;
    } catch (RuntimeException e) {
      arena.close();
      throw e;
    }
  }

  Sandbox sandbox() {
    return sandbox;
  }

  Api api() {
    return api;
  }

  /** Whose turn it is. */
  Side side() {
    return side;
  }

  /** The Muster of this turn, if it is Muster's. */
  Optional<MusterProcess> muster() {
    return muster;
  }

  /** Those of this turn. */
  Optional<Viewers> viewers() {
    return viewers;
  }

  /** Those nodes of this turn that offer their GPUs by DRA. */
  Optional<DraNodes> dra() {
    return dra;
  }

  CpuTimes cpuTimes() {
    return CpuTimes.now(sandbox.state());
  }

  /** Ends the turn of the side before, and begins this one's; returns when all of it works. */
  void turnTo(Side side) {
    turnTo(side, MusterOptions.DEFAULT);
  }

  /** The same for Muster, started like that. */
  MusterProcess turnToMuster(MusterOptions options) {
    turnTo(Side.MUSTER, options);
    return muster.orElseThrow();
  }

  private void turnTo(Side next, MusterOptions options) {
    if (next.needsPodGroups() && !servesPodGroups) {
      throw new SandboxException(
          "native is a side of fit500, fit5000, one512, contend and kills alone.");
    }
    side = next;
    viewers.ifPresent(Viewers::close);
    viewers = Optional.empty();
    dra.ifPresent(DraNodes::close);
    dra = Optional.empty();
    muster.ifPresent(MusterProcess::kill);
    muster = Optional.empty();
    probe.ifPresent(ManagedProcess::kill);
    probe = Optional.empty();
    Registration.remove(sandbox.client());
    sandbox.scheduler().kill(side.needsPodGroups() ? NativeGangs.SCHEDULER_FLAGS : List.of());
    awaitAdmission("");
    if (side.hasDraNodes()) {
      dra = Optional.of(DraNodes.everySecondOf(api, nodes));
    }
    sandbox.scheduler().start(extender(options));
    if (side.hasWebhook()) {
      awaitAdmission(side.isProbe() ? "probe" : "default");
    }
    if (side == Side.WATCHED) {
      viewers = Optional.of(Viewers.lookingAt(sandbox, api));
    }
    CpuTimes.awaitQuiet(sandbox.state());
  }

  private Optional<ExtenderEndpoint> extender(MusterOptions options) {
    return switch (side) {
      case BARE, NATIVE, NATIVE_DRA -> Optional.empty();
      case PROBE, GATED -> Optional.of(startProbe(side == Side.GATED));
      case MUSTER, WATCHED, DRA, MUSTER_RACKS -> {
        var process = sandbox.startMuster(options);
        muster = Optional.of(process);
        yield Optional.of(process.endpoint());
      }
      case MUSTER_NATIVE -> {
        muster =
            Optional.of(sandbox.startMuster(options.configured(Map.of("placementMode", "native"))));
        yield Optional.empty();
      }
    };
  }

  private ExtenderEndpoint startProbe(boolean gates) {
    var identity = sandbox.state().file("probe-identity");
    var file = sandbox.state().file("probe.properties");
    probeControl = Ports.free();
    var terms =
        new Terms(
            sandbox.server(),
            sandbox.certificate(),
            sandbox.accountToken(),
            identity,
            Ports.free(),
            Ports.free(),
            probeControl,
            NODE_PREFIX,
            nodes,
            NodeShape.GPU8.gpus(),
            gates);
    terms.writeTo(file);
    var process =
        sandbox.process(
            "probe",
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Dmuster.sandbox=" + sandbox.state().root(),
                "-cp",
                System.getProperty("java.class.path"),
                "io.muster.bench.probe.Probe",
                file.toString()));
    process.start();
    probe = Optional.of(process);
    Await.until("the probe to be ready", SWITCH_LIMIT, () -> control("GET", "/readyz"));
    return SchedulerIdentity.in(identity, "https://127.0.0.1:" + terms.extenderPort() + "/v1");
  }

  private boolean control(String method, String path) {
    try (var http = HttpClient.newHttpClient()) {
      var request =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + probeControl + path))
              .timeout(Duration.ofSeconds(5))
              .method(method, HttpRequest.BodyPublishers.noBody())
              .build();
      return http.send(request, BodyHandlers.discarding()).statusCode() == 200;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Waits until a gang's pod would be admitted by that webhook, or by none. */
  private void awaitAdmission(String injectedBy) {
    var body =
        Manifests.member(
            new Gang.Member(new Gang("dry-run", 1, 1), 0), "none", Manifests.DEFAULT_SCHEDULER);
    Await.until(
        "the webhook of this side alone to be asked",
        SWITCH_LIMIT,
        () -> {
          var reply = api.post(Manifests.PODS + "?dryRun=All", body);
          if (!reply.isSuccess()) {
            return false;
          }
          var mark =
              reply.json().path("metadata").path("annotations").path(GangKeys.INJECTED).asText();
          return injectedBy.isEmpty() ? mark.isEmpty() : mark.startsWith(injectedBy);
        });
    probe.ifPresent(_ -> control("POST", "/forget"));
  }

  /** Labels the nodes: so many that follow one another are in one rack. */
  void inRacks(int nodesOfARack) {
    Crowd.each(
        IntStream.range(0, nodes).boxed().toList(),
        i ->
            api.patch(
                    "/api/v1/nodes/%s-%d".formatted(NODE_PREFIX, i),
                    "{\"metadata\":{\"labels\":{\"%s\":\"r%d\"}}}"
                        .formatted(Manifests.RACK, i / nodesOfARack))
                .orFail("a node's label"));
  }

  /**
   * Puts running pods of no gang on the first nodes, so many on each, in a namespace that {@link
   * #clean} leaves alone.
   *
   * @param gpus of each pod
   */
  void fill(int onNodes, int podsPerNode, int gpus) {
    if (api.get("/api/v1/namespaces").findValuesAsText("name").stream()
        .noneMatch(Manifests.FILLED_NAMESPACE::equals)) {
      api.post("/api/v1/namespaces", Manifests.namespace(Manifests.FILLED_NAMESPACE))
          .orFail("the namespace");
    }
    var pods = "/api/v1/namespaces/" + Manifests.FILLED_NAMESPACE + "/pods";
    Crowd.each(
        IntStream.range(0, onNodes * podsPerNode).boxed().toList(),
        i ->
            api.post(
                    pods,
                    Manifests.single(
                        "filler-%d-%d".formatted(gpus, i),
                        gpus,
                        NODE_PREFIX + "-" + i / podsPerNode,
                        Manifests.DEFAULT_SCHEDULER))
                .orFail("a pod"));
    Await.until(
        "the pods to run",
        CLEAN_LIMIT.plusMillis(20L * onNodes * podsPerNode),
        () ->
            api.get(pods + "?limit=1&fieldSelector=status.phase%21%3DRunning")
                .path("items")
                .isEmpty());
  }

  /** Removes all pods, Jobs and Gangs of the rounds, and lets everybody come to rest. */
  void clean() {
    empty(Manifests.PODS, NOW);
    empty(Manifests.JOBS, NOW);
    if (servesPodGroups) {
      empty(NativeGangs.POD_GROUPS, NOW);
    }
    if (muster.isPresent()) {
      // What Muster still had to say of a gang may make its Gang anew.
      Await.until(
          "no Gang to be left",
          CLEAN_LIMIT,
          () -> {
            api.delete(Manifests.GANGS, "{}").orFail("the deletion of " + Manifests.GANGS);
            return isEmpty(Manifests.GANGS);
          });
    }
    dra.ifPresent(DraNodes::awaitNoClaims);
    probe.ifPresent(_ -> control("POST", "/forget"));
    CpuTimes.awaitQuiet(sandbox.state());
  }

  /** Deletes all that is there, and waits until it is gone. */
  void empty(String collection, String options) {
    api.delete(collection, options).orFail("the deletion of " + collection);
    awaitEmpty(collection);
  }

  void awaitEmpty(String collection) {
    Await.until(collection + " to be empty", CLEAN_LIMIT, () -> isEmpty(collection));
  }

  private boolean isEmpty(String collection) {
    return api.get(collection + "?limit=1").path("items").isEmpty();
  }

  @Override
  public void close() {
    viewers.ifPresent(Viewers::close);
    api.close();
    sandbox.close();
  }
}
