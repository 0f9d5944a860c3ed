package io.muster.played;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.sandbox.Await;
import io.muster.sandbox.Layout;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxException;
import io.muster.sandbox.SandboxOptions;
import io.muster.sandbox.SandboxOptions.Audited;
import io.muster.sandbox.StateDirectory;
import io.muster.sandbox.TestSpace;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * A sandbox with nodes that run pods as processes, and Services that lead to them; its
 * kube-scheduler knows nothing of Muster until somebody tells it. Starting and closing are not safe
 * for concurrent use, the rest is.
 */
final class PlayedCluster implements AutoCloseable {

  private static final Duration ACCOUNT_LIMIT = Duration.ofSeconds(60);

  /** What one cluster has to itself on a machine: the addresses of its pods. */
  static final String ADDRESSES = "the addresses of played pods";

  private final Sandbox sandbox;
  private final EgressProxy egress;
  private final PodNetwork network = new PodNetwork();
  private final ServiceNet services;
  private final List<PlayedKubelet> kubelets;
  private volatile PlayedImage muster;

  private PlayedCluster(Sandbox sandbox, EgressProxy egress, List<PlayedNode> nodes) {
    this.sandbox = sandbox;
    this.egress = egress;
    services = new ServiceNet(sandbox.client());
    egress.routeBy(services::route);
    muster = PlayedImage.muster(sandbox.layout());
    kubelets = nodes.stream().map(node -> new PlayedKubelet(this, network, node)).toList();
  }

  /**
   * @param name of the state folder below target
   * @param nodes how many run pods
   */
  static PlayedCluster start(String name, int nodes) {
    return start(name, alike(nodes), Audited.WRITES);
  }

  /** The same, and the API server writes down that of what Muster asks for. */
  static PlayedCluster start(String name, int nodes, Audited audited) {
    return start(name, alike(nodes), audited);
  }

  /** The same with nodes that differ from others. */
  static PlayedCluster start(String name, List<PlayedNode> nodes) {
    return start(name, nodes, Audited.WRITES);
  }

  private static List<PlayedNode> alike(int nodes) {
    return IntStream.range(0, nodes)
        .mapToObj(i -> new PlayedNode("played-" + i, Map.of(), List.of()))
        .toList();
  }

  private static PlayedCluster start(String name, List<PlayedNode> nodes, Audited audited) {
    var layout = Layout.current();
    var state = new StateDirectory(layout.deploy().resolve("target/sandbox").resolve(name));
    var egress = new EgressProxy();
    var sandbox =
        Sandbox.start(
            layout, SandboxOptions.bare(state).auditing(audited).playingPods(egress.path()));
    try {
      return new PlayedCluster(sandbox, egress, nodes);
    } catch (RuntimeException e) {
      sandbox.close();
      throw e;
    }
  }

  Sandbox sandbox() {
    return sandbox;
  }

  KubernetesClient client() {
    return sandbox.client();
  }

  /**
   * A namespace in which pods may be created: the API server takes none before its account is
   * there.
   */
  TestSpace open(String name) {
    var space = TestSpace.open(sandbox, name);
    var accounts = client().serviceAccounts().inNamespace(space.namespace());
    Await.until(
        "the account of " + space.namespace(),
        ACCOUNT_LIMIT,
        () -> accounts.withName("default").get() != null);
    return space;
  }

  /**
   * Ends the connections of the API server to webhooks, and of all pods and kube-schedulers to
   * Services; their next calls are on new ones. Nobody may be calling.
   */
  void cutCallers() {
    egress.cut();
    services.cut();
  }

  ServiceNet services() {
    return services;
  }

  /** The pod of that name, if a node here runs it. */
  Optional<PlayedPod> pod(String namespace, String name) {
    return kubelets.stream().flatMap(kubelet -> kubelet.pod(namespace, name).stream()).findFirst();
  }

  /** All that a container of Muster's namespace has printed, also after its end. */
  Path log(String pod, String container) {
    return sandbox.state().log(PlayedContainer.process(Installation.NAMESPACE, pod, container));
  }

  /**
   * Where a path of a node is on this machine: each node has a folder for its files, but what is in
   * the sandbox's own folder is where it is.
   */
  Path host(String node, Path path) {
    return path.startsWith(sandbox.state().root())
        ? path
        : sandbox
            .state()
            .file("hosts")
            .resolve(node)
            .resolve(path.normalize().toString().substring(1));
  }

  /** From now on new containers of Muster are of that image. */
  void provide(PlayedImage image) {
    muster = image;
  }

  /** What stands for an image of the chart. */
  PlayedImage image(String name) {
    if (name.contains("kube-scheduler")) {
      return PlayedImage.scheduler(sandbox);
    }
    if (name.contains("muster")) {
      return muster;
    }
    throw new SandboxException("nothing stands for the image " + name);
  }

  /**
   * What the container asks for, what a kubelet adds, and two things that a pod network would make
   * needless: to listen at the pod's own address alone, and the proxy that leads to other pods.
   */
  Map<String, String> environment(Pod pod, Container container, String address) {
    var environment = new LinkedHashMap<String, String>();
    var server = URI.create(sandbox.server());
    environment.put("KUBERNETES_SERVICE_HOST", server.getHost());
    environment.put("KUBERNETES_SERVICE_PORT", Integer.toString(server.getPort()));
    environment.putAll(image(container.getImage()).environment());
    environment.putAll(PodFields.environment(pod, container, address));
    environment.put("MUSTER_CFG_BIND_ADDRESS", PodNetwork.local(address));
    environment.merge(
        "JDK_JAVA_OPTIONS", network.proxyOptions(), (given, proxy) -> given + " " + proxy);
    return environment;
  }

  @Override
  public void close() {
    kubelets.forEach(PlayedKubelet::close);
    services.close();
    network.close();
    sandbox.close();
    egress.close();
  }
}
