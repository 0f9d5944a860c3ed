package io.muster.played;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.muster.kit.Namespaces;
import io.muster.sandbox.Await;
import io.muster.sandbox.Command;
import io.muster.sandbox.ManagedProcess;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * One container of a played pod: a process in mount, pid and host name namespaces, in a file system
 * of its own, as the user that the pod says (where this machine's user is root). Safe for
 * concurrent use.
 */
final class PlayedContainer {

  private static final Duration EXIT_LIMIT = Duration.ofSeconds(20);
  private static final Duration LINK_LIMIT = Duration.ofMinutes(1);

  private final Sandbox sandbox;
  private final Pod pod;
  private final Container container;
  private final PlayedImage image;
  private final String address;
  private final Path folder;
  private final ManagedProcess process;

  PlayedContainer(
      Sandbox sandbox,
      Pod pod,
      Container container,
      PlayedImage image,
      String address,
      Map<String, String> env) {
    this.sandbox = sandbox;
    this.address = address;
    this.pod = pod;
    this.container = container;
    this.image = image;
    var metadata = pod.getMetadata();
    var name = process(metadata.getNamespace(), metadata.getName(), container.getName());
    // Pods of one name come and go, and may be of other images.
    this.folder =
        sandbox.state().file("pods").resolve(metadata.getUid()).resolve(container.getName());
    this.process = sandbox.process(name, command(env));
  }

  /** The name of its process in the sandbox. */
  static String process(String namespace, String pod, String container) {
    return "pod_%s_%s_%s".formatted(namespace, pod, container);
  }

  static boolean isRoot() {
    return "root".equals(System.getProperty("user.name"));
  }

  /**
   * Starts it, again if need be.
   *
   * @param volumes folders of this machine by the names of the pod's volumes
   * @param hosts the text of {@code /etc/hosts}
   */
  void start(Map<String, Path> volumes, String hosts) {
    try {
      prepare(volumes, hosts);
    } catch (IOException e) {
      throw new SandboxException("the files of " + process.name() + " cannot be written", e);
    }
    process.start();
  }

  private void prepare(Map<String, Path> volumes, String hosts) throws IOException {
    var root = folder.resolve("root");
    if (image.root().isPresent() && !Files.exists(root)) {
      link(image.root().get(), root);
    }
    for (String inside : List.of("etc", "proc", "dev", "tmp", "opt", "var", "run")) {
      Files.createDirectories(root.resolve(inside));
    }
    Files.writeString(root.resolve("etc/hosts"), hosts);
    Files.writeString(folder.resolve("hostname"), pod.getMetadata().getName() + "\n");
    if (image.root().isEmpty()) {
      Files.writeString(folder.resolve("programs"), "");
    }
    if (container.getSecurityContext() != null
        && Boolean.TRUE.equals(container.getSecurityContext().getReadOnlyRootFilesystem())) {
      Files.writeString(folder.resolve("readonly"), "");
    }
    var mounts = new ArrayList<String>();
    for (var mount : image.mounts().entrySet()) {
      mounts.add(mount(root, false, mount.getValue(), mount.getKey()));
    }
    for (VolumeMount mount : container.getVolumeMounts()) {
      var from = volumes.get(mount.getName());
      if (mount.getSubPath() != null && !mount.getSubPath().isEmpty()) {
        from = from.resolve(mount.getSubPath()).toRealPath();
      }
      boolean isWritable = !Boolean.TRUE.equals(mount.getReadOnly());
      mounts.add(mount(root, isWritable, from, mount.getMountPath()));
    }
    Files.write(folder.resolve("mounts"), mounts);
  }

  /** Nobody writes into the files of an image, so containers of one machine may share them. */
  private static void link(Path image, Path root) throws IOException {
    Files.createDirectories(root.getParent());
    var line = List.of("cp", "-al", image.toString(), root.toString());
    var linked = Command.run(LINK_LIMIT, line);
    if (linked.exitCode() != 0) {
      throw new IOException(linked.output());
    }
  }

  private static String mount(Path root, boolean isWritable, Path from, String to)
      throws IOException {
    var target = root.resolve(to.replaceFirst("^/+", "")).normalize();
    if (!target.startsWith(root)) {
      throw new SandboxException("the mount path " + to + " leads out of the container");
    }
    if (Files.isDirectory(from)) {
      Files.createDirectories(target);
    } else if (!Files.exists(target)) {
      Files.createDirectories(target.getParent());
      Files.createFile(target);
    }
    return "%s %s %s".formatted(isWritable ? "rw" : "ro", from, root.relativize(target));
  }

  private List<String> command(Map<String, String> more) {
    var environment = new LinkedHashMap<String, String>();
    environment.put("HOSTNAME", pod.getMetadata().getName());
    environment.putAll(more);
    var line = new ArrayList<>(Namespaces.asRootElseAllowed().unshare());
    line.add(sandbox.layout().kit().resolve("played/container").toString());
    line.add(folder.toString());
    line.addAll(List.of("env", "-i"));
    environment.forEach((name, value) -> line.add(name + "=" + value));
    line.add(chroot());
    user().ifPresent(user -> line.add("--userspec=" + user));
    line.add(folder.resolve("root").toString());
    line.addAll(container.getCommand().isEmpty() ? image.entryPoint() : container.getCommand());
    line.addAll(container.getArgs());
    image.binding().ifPresent(argument -> line.add(argument + PodNetwork.local(address)));
    return line;
  }

  /** The environment has the container's own PATH by then. */
  private static String chroot() {
    return List.of("/usr/sbin/chroot", "/usr/bin/chroot", "/sbin/chroot").stream()
        .filter(path -> Files.isExecutable(Path.of(path)))
        .findFirst()
        .orElseThrow(() -> new SandboxException("there is no chroot: install coreutils"));
  }

  /** As {@code uid:gid}; only root may become another user. */
  private Optional<String> user() {
    var ofContainer = Optional.ofNullable(container.getSecurityContext());
    var ofPod = Optional.ofNullable(pod.getSpec().getSecurityContext());
    var user =
        ofContainer
            .map(context -> context.getRunAsUser())
            .or(() -> ofPod.map(context -> context.getRunAsUser()));
    var group =
        ofContainer
            .map(context -> context.getRunAsGroup())
            .or(() -> ofPod.map(context -> context.getRunAsGroup()));
    return user.filter(_ -> isRoot()).map(id -> id + ":" + group.orElse(id));
  }

  Container spec() {
    return container;
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** How it ended, once it has. */
  OptionalInt exitCode() {
    return process.exitCode();
  }

  /** The pid of the program itself; empty before it has begun and after its end. */
  OptionalLong pid() {
    return program().stream().mapToLong(ProcessHandle::pid).findFirst();
  }

  /** SIGTERM, and SIGKILL when the grace period is over; returns when it has ended. */
  void terminate(Duration grace) {
    program().ifPresent(ProcessHandle::destroy);
    if (!Await.within(grace, () -> !isAlive())) {
      kill();
    }
    process.kill();
  }

  /** SIGKILL; returns when it has ended. */
  void kill() {
    program().ifPresent(ProcessHandle::destroyForcibly);
    Await.within(EXIT_LIMIT, () -> !isAlive());
    process.kill();
  }

  /** SIGSTOP: it keeps its connections and answers nothing. */
  void freeze() {
    signal("STOP");
  }

  /** SIGCONT. */
  void resume() {
    signal("CONT");
  }

  private void signal(String signal) {
    long pid = pid().orElseThrow(() -> new SandboxException(process.name() + " does not run"));
    Command.run(EXIT_LIMIT, List.of("kill", "-" + signal, Long.toString(pid)));
  }

  /** Below unshare and the first process of the namespaces. */
  private Optional<ProcessHandle> program() {
    return isAlive()
        ? ProcessHandle.of(process.pid())
            .flatMap(unshare -> unshare.children().findFirst())
            .flatMap(first -> first.children().findFirst())
        : Optional.empty();
  }
}
