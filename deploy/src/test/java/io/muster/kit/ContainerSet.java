package io.muster.kit;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.sandbox.Await;
import io.muster.sandbox.ManagedProcess;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.OptionalInt;

/**
 * The namespaces and file system in which one launcher runs. {@code root} is its file system as the
 * machine sees it, without what is mounted there; the files below {@code root/run/kit} are how the
 * stand-ins and the tests talk. Safe for concurrent use.
 */
final class ContainerSet {

  private static final Duration START_LIMIT = Duration.ofSeconds(20);

  private final Path folder;
  private final Namespaces namespaces;
  private final ManagedProcess process;

  private ContainerSet(Path folder, Namespaces namespaces, ManagedProcess process) {
    this.folder = folder;
    this.namespaces = namespaces;
    this.process = process;
  }

  /**
   * Makes the files and the namespaces and starts the container's command in them.
   *
   * @throws SandboxException if the files cannot be had or the preparation does not end well
   */
  static ContainerSet start(
      Sandbox sandbox, Namespaces namespaces, Pod pod, PodAddresses addresses) {
    var name =
        "launcher_%s_%s_%s"
            .formatted(
                pod.getMetadata().getNamespace(),
                pod.getMetadata().getName(),
                pod.getMetadata().getUid());
    Path folder = sandbox.state().file("launchers").resolve(name);
    Path kit = sandbox.layout().kit();
    try {
      var account = new PodAccount(sandbox, pod);
      new PodFiles(sandbox.client(), account, folder, addresses.of(pod)).write(kit);
      if (account.isWanted()) {
        new WorkersOfLauncher(sandbox.client(), pod).reachBySh(folder, namespaces.enter());
      }
    } catch (IOException e) {
      throw new SandboxException("the files of the launcher cannot be written: " + e, e);
    }
    var command = new ArrayList<>(namespaces.unshare());
    command.add(kit.resolve("launcher/set").toString());
    command.add(folder.toString());
    var set = new ContainerSet(folder, namespaces, sandbox.process(name, command));
    set.resolve(addresses.hosts(pod.getMetadata().getNamespace()));
    set.process.start();
    Await.within(START_LIMIT, () -> Files.exists(set.control("ready")) || !set.process.isAlive());
    if (!Files.exists(set.control("ready"))) {
      set.kill();
      throw new SandboxException("the launcher could not be prepared: " + set.complaints());
    }
    return set;
  }

  /** Lets KWOK run {@code sh} here for this pod, and serve its log. */
  void announce(KubernetesClient client, Pod pod) {
    KwokObjects.serveLog(client, pod, control("log"));
    KwokObjects.reachBySh(client, pod, folder, namespaces.enter());
  }

  Path root() {
    return folder.resolve("root");
  }

  /** From now on these are the names that the container knows, as {@code /etc/hosts} has them. */
  void resolve(String hosts) {
    Path file = root().resolve("etc/hosts");
    try {
      Path draft = file.resolveSibling("hosts.new");
      Files.writeString(draft, hosts);
      Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new SandboxException(file + " cannot be written.", e);
    }
  }

  /** A file by which the stand-ins and the tests talk. */
  Path control(String name) {
    return root().resolve("run/kit").resolve(name);
  }

  /** While it exists, exec is accepted and nothing comes of it. */
  Path frozen() {
    return folder.resolve("frozen");
  }

  /** How the container's command ended, once it has. */
  OptionalInt exitCode() {
    return process.exitCode();
  }

  /** Ends every process in the namespaces, and keeps the files. */
  void kill() {
    try {
      Files.deleteIfExists(folder.resolve("pid"));
      Files.deleteIfExists(frozen());
    } catch (IOException e) {
      throw new SandboxException("The launcher in " + folder + " cannot be closed.", e);
    } finally {
      process.kill();
    }
  }

  private String complaints() {
    var words = new StringBuilder();
    for (Path file : new Path[] {process.log(), control("prepare.log")}) {
      try {
        words.append(Files.exists(file) ? Files.readString(file) : "");
      } catch (IOException e) {
        words.append(file).append(" cannot be read");
      }
    }
    return words.isEmpty() ? "it said nothing" : words.toString().strip();
  }
}
