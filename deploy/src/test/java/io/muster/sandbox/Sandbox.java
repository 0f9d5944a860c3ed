package io.muster.sandbox;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A running sandbox, owned by this JVM: closing it, or the end of the JVM, kills every process it
 * started and no other. If the JVM is killed itself, the next start on the same state directory
 * cleans up. Starting and closing are not safe for concurrent use; the client and nodes are.
 */
public final class Sandbox implements AutoCloseable {

  private static final Duration KUBECTL_LIMIT = Duration.ofSeconds(30);
  private static final Duration ASKED_LIMIT = Duration.ofSeconds(30);

  private final Layout layout;
  private final SandboxOptions options;
  private final StateDirectory.Lock lock;
  private final Thread hook;
  private final Programs programs;
  private final ControlPlane controlPlane;
  private final Scheduler scheduler;
  private final KubernetesClient client;
  private Optional<MusterProcess> muster = Optional.empty();
  private boolean isOpen = true;

  private Sandbox(Layout layout, SandboxOptions options, StateDirectory.Lock lock, Thread hook) {
    this.layout = layout;
    this.options = options;
    this.lock = lock;
    this.hook = hook;
    this.programs = Programs.findOrBuild(layout);
    this.controlPlane = new ControlPlane(layout, programs, options);
    controlPlane.start();
    this.scheduler = Scheduler.shared(layout, programs, options);
    this.client = controlPlane.client();
  }

  /** Cleans up after a predecessor, then starts everything; returns when all of it is ready. */
  public static Sandbox start(Layout layout, SandboxOptions options) {
    var lock = options.state().lock();
    var hook = new Thread(() -> options.state().killAll(), "sandbox-stop");
    try {
      options.state().renew();
      Runtime.getRuntime().addShutdownHook(hook);
      var sandbox = new Sandbox(layout, options, lock, hook);
      if (options.withMuster()) {
        sandbox.startMuster(MusterOptions.DEFAULT);
        sandbox.scheduler.start(Optional.of(sandbox.extender()));
      } else {
        sandbox.scheduler.start(Optional.empty());
      }
      sandbox.markReady();
      return sandbox;
    } catch (RuntimeException e) {
      options.state().killAll();
      forget(hook);
      lock.close();
      throw e;
    }
  }

  /**
   * Starts Muster and returns when it is ready and the API server no longer asks one before it
   * about pods, which was on other ports; kube-scheduler is left as it is.
   */
  public MusterProcess startMuster(MusterOptions musterOptions) {
    var started = installed(musterOptions);
    started.start();
    Await.until(
        "the API server to ask this Muster about pods",
        ASKED_LIMIT,
        () -> new AskedAboutPods(client).isAnswered());
    muster = Optional.of(started);
    return started;
  }

  /** Muster as it is started first, with all that must be there before. */
  public MusterProcess prepareMuster(MusterOptions musterOptions) {
    var prepared = installed(musterOptions);
    muster = Optional.of(prepared);
    return prepared;
  }

  private MusterProcess installed(MusterOptions musterOptions) {
    var installation = new MusterInstallation(layout, client);
    installation.apply();
    return new MusterProcess(this, installation, musterOptions);
  }

  /** The Muster started last, if any. */
  public Optional<MusterProcess> muster() {
    return muster;
  }

  /** How kube-scheduler reaches the Muster started last. */
  public ExtenderEndpoint extender() {
    return muster
        .orElseThrow(() -> new IllegalStateException("this sandbox runs without Muster"))
        .endpoint();
  }

  public Scheduler scheduler() {
    return scheduler;
  }

  /**
   * SIGKILL to a program of the control plane, and wait for the exit; kube-scheduler is apart, see
   * {@link #scheduler}.
   */
  public void kill(Program program) {
    controlPlane.kill(program);
  }

  /** Kills it if it runs and starts it as it was; returns when it is ready. */
  public void restart(Program program, String... moreFlags) {
    controlPlane.restart(program, List.of(moreFlags));
  }

  /** Whether it runs. */
  public boolean isAlive(Program program) {
    return controlPlane.isAlive(program);
  }

  /** Another kube-scheduler, not started yet, for the pods that name it. */
  public Scheduler secondScheduler() {
    return Scheduler.second(layout, programs, options);
  }

  /**
   * What must stand in the cluster before Muster starts, and a token of its account: for a program
   * in its place.
   */
  public String accountToken() {
    var installation = new MusterInstallation(layout, client);
    installation.apply();
    return installation.token();
  }

  /**
   * One more process that ends with this sandbox; its command line must mention the state folder.
   */
  public ManagedProcess process(String name, List<String> command) {
    return new ManagedProcess(name, options.state(), command);
  }

  /** What Muster wrote; only where {@link SandboxOptions#auditing} was asked for. */
  public AuditLog auditLog() {
    return AuditLog.in(options.state());
  }

  /** A client that may do everything. */
  public KubernetesClient client() {
    return client;
  }

  /**
   * What kubectl prints; for tests of what users see.
   *
   * @throws SandboxException if it fails
   */
  public String kubectl(String... arguments) {
    var line = new ArrayList<String>();
    line.add(programs.path(Program.KUBECTL).toString());
    line.add("--kubeconfig=" + options.state().kubeconfig());
    line.addAll(List.of(arguments));
    var result = Command.run(KUBECTL_LIMIT, line);
    if (result.exitCode() != 0) {
      throw new SandboxException("kubectl failed: " + result.output());
    }
    return result.output();
  }

  public Nodes nodes() {
    return new Nodes(client);
  }

  public StateDirectory state() {
    return options.state();
  }

  public Programs programs() {
    return programs;
  }

  /** The URL of the API server. */
  public String server() {
    return controlPlane.server();
  }

  /** What a caller of the API server has to trust, a PEM file. */
  public Path certificate() {
    return controlPlane.certificate();
  }

  /** The kubeconfig text of another caller: a token, possibly through a proxy. */
  public String kubeconfig(String serverUrl, String token) {
    return new Kubeconfig(serverUrl, controlPlane.certificate(), token).yaml();
  }

  /** The program, as it was built. */
  public Path musterJar() {
    return layout.musterJar();
  }

  /** Where the files of the sandbox and of the kit lie. */
  public Layout layout() {
    return layout;
  }

  @Override
  public void close() {
    if (isOpen) {
      leave();
      options.state().killAll();
      lock.close();
    }
  }

  /** Lets everything run on after this JVM; {@code down} or the next start ends it. */
  public void detach() {
    if (isOpen) {
      leave();
      lock.close();
    }
  }

  private void leave() {
    isOpen = false;
    client.close();
    forget(hook);
  }

  private static void forget(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is ending and the hook does its work.
    }
  }

  private void markReady() {
    try {
      // For the shell script, which runs kubectl without a JVM.
      Files.writeString(options.state().file("kubectl"), programs.path(Program.KUBECTL) + "\n");
      Files.writeString(options.state().readyMark(), controlPlane.server() + "\n");
    } catch (IOException e) {
      throw new SandboxException("The state directory cannot be written.", e);
    }
  }
}
