package io.muster.kit;

import static java.util.concurrent.TimeUnit.MILLISECONDS;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.muster.sandbox.Await;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Plays the kubelet for launchers: pods without a script that are annotated {@code
 * test.muster.io/launcher: "true"} or labelled {@code training-job-role: launcher}. Each gets
 * namespaces of its own before it is shown as Running; its command really runs there, with
 * stand-ins for horovodrun, deepspeed and ssh, and {@code sh} by exec through the API server runs
 * there too. The pod ends as the command ends; when the pod is gone, so is everything in its
 * namespaces. One at a time per sandbox.
 *
 * <p>One thread does what pods call for; the public methods are safe for concurrent use.
 */
public final class Launchers implements AutoCloseable {

  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final Duration TICK = Duration.ofMillis(100);

  private final Sandbox sandbox;
  private final Namespaces namespaces;
  private final LauncherPods pods;
  private final Map<String, Launcher> byUid = new ConcurrentHashMap<>();
  private final Map<String, Launcher> running = new ConcurrentHashMap<>();
  private final Map<String, String> failures = new ConcurrentHashMap<>();

  /** Touched by the thread alone. */
  private final PodAddresses addresses = new PodAddresses();

  /** The uids of pods that were started, or were to be: each is tried once. */
  private final Set<String> tried = new HashSet<>();

  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("launchers").factory());
  private final SharedIndexInformer<Pod> informer;

  private Launchers(Sandbox sandbox, Namespaces namespaces) {
    this.sandbox = sandbox;
    this.namespaces = namespaces;
    this.pods = new LauncherPods(sandbox.client());
    this.informer = sandbox.client().pods().inAnyNamespace().inform(new Events());
  }

  /**
   * Begins to play the kubelet.
   *
   * @throws SandboxException if the machine does not allow namespaces, with what would help
   */
  public static Launchers watching(Sandbox sandbox) {
    var launchers = new Launchers(sandbox, Namespaces.allowed());
    launchers.post(launchers::reportEnds);
    return launchers;
  }

  /**
   * The launcher in the pod that has this name now, as soon as it runs.
   *
   * @throws SandboxException if it could not be made, or not within the limit
   */
  public Launcher launcher(String namespace, String pod) {
    var key = namespace + "/" + pod;
    var found = new AtomicReference<Launcher>();
    Await.until(
        "the launcher " + key,
        LIMIT,
        () -> {
          var failure = failures.get(key);
          if (failure != null) {
            throw new SandboxException("The launcher " + key + " does not run: " + failure);
          }
          found.set(running.get(key));
          return found.get() != null;
        });
    return found.get();
  }

  /** Ends all launchers, however they are; what they printed can still be read. */
  @Override
  public void close() {
    informer.close();
    thread.shutdown();
    try {
      if (!thread.awaitTermination(LIMIT.toMillis(), MILLISECONDS)) {
        thread.shutdownNow();
      }
    } catch (InterruptedException e) {
      thread.shutdownNow();
      Thread.currentThread().interrupt();
    } finally {
      byUid.values().forEach(launcher -> launcher.set().kill());
    }
  }

  private void seen(Pod pod) {
    if (addresses.note(pod, pods.hasEnded(pod))) {
      tellHosts(pod.getMetadata().getNamespace());
    }
    if (pods.isToStart(pod) && tried.add(pod.getMetadata().getUid())) {
      start(pod);
    }
    if (pods.hasEnded(pod)) {
      gone(pod);
    } else {
      noteWorker(pod, false);
    }
  }

  private void gone(Pod pod) {
    var launcher = byUid.get(pod.getMetadata().getUid());
    if (launcher != null) {
      launcher.markReported();
      launcher.set().kill();
    }
    noteWorker(pod, true);
  }

  private void tellHosts(String namespace) {
    for (Launcher launcher : byUid.values()) {
      if (launcher.isRunning() && launcher.namespace().equals(namespace)) {
        launcher.set().resolve(addresses.hosts(namespace));
      }
    }
  }

  private void start(Pod pod) {
    var key = key(pod);
    failures.remove(key);
    try {
      var set = ContainerSet.start(sandbox, namespaces, pod, addresses);
      var launcher = new Launcher(pod, set);
      // Known from here on, so that it is ended whatever comes.
      byUid.put(pod.getMetadata().getUid(), launcher);
      set.announce(sandbox.client(), pod);
      pods.awaitExec(pod, launcher);
      pods.markReady(pod);
      running.put(key, launcher);
    } catch (RuntimeException e) {
      // The pod may be gone already; whoever waits for the launcher is told in any case.
      failures.put(key, e.getMessage());
      pods.fail(pod, e.getMessage());
    }
  }

  /** A launcher learns of the pods in its namespace by their names, which are its host names. */
  private void noteWorker(Pod pod, boolean isGone) {
    for (Launcher launcher : byUid.values()) {
      if (launcher.isRunning()
          && launcher.namespace().equals(pod.getMetadata().getNamespace())
          && !Objects.equals(launcher.name(), pod.getMetadata().getName())) {
        launcher.noteWorker(pod.getMetadata().getName(), isGone);
      }
    }
  }

  /** Comes back every tick. A write that failed is tried again then. */
  private void reportEnds() {
    try {
      for (Launcher launcher : byUid.values()) {
        if (!launcher.isRunning() && !launcher.isReported() && pods.reportEnd(launcher)) {
          launcher.markReported();
        }
      }
    } finally {
      CompletableFuture.delayedExecutor(TICK.toMillis(), MILLISECONDS)
          .execute(() -> post(this::reportEnds));
    }
  }

  private void post(Runnable event) {
    try {
      thread.execute(event);
    } catch (RejectedExecutionException e) {
      // Closed in between: nothing is owed any more.
    }
  }

  private static String key(Pod pod) {
    return pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName();
  }

  private final class Events implements ResourceEventHandler<Pod> {

    @Override
    public void onAdd(Pod pod) {
      post(() -> seen(pod));
    }

    @Override
    public void onUpdate(Pod before, Pod pod) {
      post(() -> seen(pod));
    }

    @Override
    public void onDelete(Pod pod, boolean isStale) {
      post(() -> {
        addresses.note(pod, true);
        tellHosts(pod.getMetadata().getNamespace());
        gone(pod);
        // Whoever asks from now on means the next of that name.
        running
            .entrySet()
            .removeIf(entry ->
                entry.getValue().pod().getMetadata().getUid().equals(pod.getMetadata().getUid()));
      });
    }
  }
}
