package io.muster.sandbox;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * etcd, kube-apiserver, kube-controller-manager and KWOK as processes on loopback; kube-scheduler
 * is apart, see {@link Scheduler}. Confined to the thread that starts and stops the sandbox.
 */
final class ControlPlane {

  private static final Duration API_LIMIT = Duration.ofSeconds(90);

  /** Nodes have no kubelet that would report: no silence of theirs is taken for a failure. */
  private static final String NODE_SILENCE = "24h";

  private final Layout layout;
  private final Programs programs;
  private final SandboxOptions options;
  private final StateDirectory state;
  private final int apiPort = Ports.free();
  private final String adminToken = newToken();
  private final Map<Program, Running> running = new EnumMap<>(Program.class);

  ControlPlane(Layout layout, Programs programs, SandboxOptions options) {
    this.layout = layout;
    this.programs = programs;
    this.options = options;
    this.state = options.state();
  }

  /** Starts everything and returns when the API server is ready. */
  void start() {
    writeServiceAccountKey();
    writeTokens();
    int etcdPort = Ports.free();
    run(Program.ETCD, etcdFlags(etcdPort));
    var flags = new ArrayList<>(apiserverFlags(etcdPort));
    if (options.audited() != SandboxOptions.Audited.NOTHING) {
      flags.addAll(AuditLog.in(state).flags(options.audited() == SandboxOptions.Audited.READS_TOO));
    }
    run(Program.APISERVER, flags);
    awaitApiServer();
    admin().writeTo(state.kubeconfig());
    run(Program.CONTROLLER_MANAGER, controllerManagerFlags());
    var kwok = new Kwok(layout, options);
    if (options.scripted()) {
      try (var client = client()) {
        kwok.install(client);
      }
    }
    run(Program.KWOK, kwok.environment(), kwok.flags());
  }

  private void awaitApiServer() {
    Await.until(
        "kube-apiserver to be ready",
        API_LIMIT,
        () -> {
          running.get(Program.ETCD).process().requireAlive();
          running.get(Program.APISERVER).process().requireAlive();
          return Readiness.answers(server() + "/readyz", certificate());
        });
  }

  /** SIGKILL, and wait for the exit. */
  void kill(Program program) {
    running.get(program).process().kill();
  }

  /**
   * Kills it if it runs and starts it as it was started first; returns when it is ready.
   *
   * @param moreFlags which go before those of the same name
   */
  void restart(Program program, List<String> moreFlags) {
    kill(program);
    var command = new ArrayList<>(running.get(program).command());
    command.addAll(moreFlags);
    var process = new ManagedProcess(program.file(), state, command);
    process.start();
    running.put(program, new Running(running.get(program).command(), process));
    if (program == Program.APISERVER) {
      awaitApiServer();
    }
  }

  boolean isAlive(Program program) {
    return running.get(program).process().isAlive();
  }

  /** A program, and how it was started first. */
  private record Running(List<String> command, ManagedProcess process) {}

  String server() {
    return "https://127.0.0.1:" + apiPort;
  }

  /** What a caller has to trust. */
  Path certificate() {
    return state.file("apiserver").resolve("apiserver.crt");
  }

  Kubeconfig admin() {
    return new Kubeconfig(server(), certificate(), adminToken);
  }

  KubernetesClient client() {
    return new KubernetesClientBuilder().withConfig(Config.fromKubeconfig(admin().yaml())).build();
  }

  private List<String> etcdFlags(int port) {
    String url = "http://127.0.0.1:" + port;
    String peers = "http://127.0.0.1:" + Ports.free();
    return List.of(
        "--data-dir=" + state.file("etcd"),
        "--listen-client-urls=" + url,
        "--advertise-client-urls=" + url,
        "--listen-peer-urls=" + peers,
        "--initial-advertise-peer-urls=" + peers,
        "--initial-cluster=default=" + peers,
        "--unsafe-no-fsync=true",
        "--log-level=error");
  }

  private List<String> apiserverFlags(int etcdPort) {
    var flags = new ArrayList<String>();
    if (options.egressProxy().isEmpty()) {
      // Nobody reads a token there, and no pod waits for one.
      flags.add("--disable-admission-plugins=ServiceAccount");
    } else {
      write(
          state.file("egress.yaml"),
          """
          apiVersion: apiserver.k8s.io/v1beta1
          kind: EgressSelectorConfiguration
          egressSelections:
          - name: cluster
            connection:
              proxyProtocol: HTTPConnect
              transport: {uds: {udsName: "%s"}}
          """
              .formatted(options.egressProxy().get()));
      flags.add("--egress-selector-config-file=" + state.file("egress.yaml"));
    }
    flags.addAll(apiserverFlagsOfAll(etcdPort));
    return flags;
  }

  private List<String> apiserverFlagsOfAll(int etcdPort) {
    return List.of(
        "--cert-dir=" + state.file("apiserver"),
        "--etcd-servers=http://127.0.0.1:" + etcdPort,
        "--bind-address=127.0.0.1",
        "--advertise-address=127.0.0.1",
        "--endpoint-reconciler-type=none",
        "--secure-port=" + apiPort,
        "--service-account-key-file=" + state.file("service-account.pub"),
        "--service-account-signing-key-file=" + state.file("service-account.key"),
        "--service-account-issuer=https://kubernetes.default.svc",
        "--token-auth-file=" + state.file("tokens.csv"),
        "--authorization-mode=RBAC",
        // Addresses of this machine, so that a Service can be played.
        "--service-cluster-ip-range="
            + (options.egressProxy().isPresent() ? "127.96.0.0/16" : "10.96.0.0/16"),
        "--allow-privileged=true");
  }

  private List<String> controllerManagerFlags() {
    return List.of(
        "--kubeconfig=" + state.kubeconfig(),
        "--leader-elect=false",
        "--bind-address=127.0.0.1",
        "--secure-port=" + Ports.free(),
        "--authentication-skip-lookup=true",
        "--service-account-private-key-file=" + state.file("service-account.key"),
        "--root-ca-file=" + certificate(),
        "--node-monitor-grace-period=" + NODE_SILENCE,
        "--kube-api-qps=1000",
        "--kube-api-burst=2000");
  }

  private void run(Program program, List<String> flags) {
    run(program, List.of(), flags);
  }

  private void run(Program program, List<String> prefix, List<String> flags) {
    var command = new ArrayList<>(prefix);
    command.add(programs.path(program).toString());
    command.addAll(flags);
    command.addAll(options.flags(program));
    var process = new ManagedProcess(program.file(), state, command);
    process.start();
    running.put(program, new Running(command, process));
  }

  private void writeTokens() {
    var lines = new ArrayList<String>();
    lines.add(adminToken + ",sandbox-admin,sandbox-admin,\"system:masters\"");
    lines.addAll(options.extraTokens());
    write(state.file("tokens.csv"), String.join("\n", lines) + "\n");
  }

  private void writeServiceAccountKey() {
    try {
      var generator = KeyPairGenerator.getInstance("RSA");
      generator.initialize(2048);
      var pair = generator.generateKeyPair();
      write(state.file("service-account.key"), pem("PRIVATE KEY", pair.getPrivate().getEncoded()));
      write(state.file("service-account.pub"), pem("PUBLIC KEY", pair.getPublic().getEncoded()));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String pem(String kind, byte[] bytes) {
    return "-----BEGIN %s-----%n%s%n-----END %s-----%n"
        .formatted(kind, Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes), kind);
  }

  private static void write(Path file, String text) {
    try {
      Files.writeString(file, text);
    } catch (IOException e) {
      throw new SandboxException(file + " cannot be written.", e);
    }
  }

  private static String newToken() {
    byte[] bytes = new byte[16];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }
}
