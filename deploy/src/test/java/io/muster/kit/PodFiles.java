package io.muster.kit;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapVolumeSource;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.sandbox.SandboxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Fills the file system of a launcher from its pod, as a kubelet would: the folders of its mounts,
 * the files of ConfigMaps, the environment and command of its first container, and what its init
 * containers do. An init container runs if its command begins with {@code sh}; others need programs
 * of their image and are left out, so what is not in place then is copied from {@code /etc/mpi}. A
 * ConfigMap changed later is not seen, and subPath is not honoured. Folders of the machine
 * (hostPath) are mounted, writable unless the mount says readOnly.
 */
final class PodFiles {

  private static final List<String> FOLDERS =
      List.of(
          "etc/edl",
          "etc/mpi",
          "job",
          "opt/kube",
          "opt/kit",
          "root",
          "proc",
          "dev",
          "tmp",
          "var",
          "run/kit/gone",
          "run/kit/fail",
          "run/kit/stay",
          "run/kit/begun");
  private static final Pattern ENTRY =
      Pattern.compile("metadata\\.(labels|annotations)\\['(.+)'\\]");
  private static final int DEFAULT_MODE = 0644;
  private static final String COPIES =
      """
      copy() { # FROM TO MODE
        [ ! -e "$1" ] || [ -e "$2" ] || { cp "$1" "$2" && chmod "$3" "$2"; }
      }
      copy /etc/mpi/hostfile /etc/edl/hostfile 644
      copy /etc/mpi/discover_hosts.sh /etc/edl/discover_hosts.sh 755
      copy /etc/mpi/deepspeed-hostfile /job/hostfile 644
      """;

  private final KubernetesClient client;
  private final Pod pod;
  private final PodAccount account;
  private final Path folder;
  private final Path root;
  private final String address;
  private final List<String> binds = new ArrayList<>();

  /**
   * @param folder of the launcher; its {@code root} becomes the file system
   * @param address which the pod has on this machine
   */
  PodFiles(KubernetesClient client, PodAccount account, Path folder, String address) {
    this.client = client;
    this.pod = account.pod();
    this.account = account;
    this.folder = folder;
    this.root = folder.resolve("root");
    this.address = address;
  }

  void write(Path kit) throws IOException {
    for (String folder : FOLDERS) {
      Files.createDirectories(root.resolve(folder));
    }
    Files.writeString(root.resolve("etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n");
    Files.writeString(root.resolve("etc/group"), "root:x:0:\n");
    Files.copy(kit.resolve("launcher/kubectl"), root.resolve("opt/kube/kubectl"));
    var containers = new ArrayList<>(pod.getSpec().getInitContainers());
    containers.add(first());
    for (Container container : containers) {
      for (VolumeMount mount : container.getVolumeMounts()) {
        mount(mount);
      }
    }
    Files.write(folder.resolve("binds"), binds);
    Files.writeString(folder.resolve("hostname"), pod.getMetadata().getName() + "\n");
    var environment = environment(first());
    if (account.isWanted()) {
      account.write(root);
      environment = account.environment() + environment;
    }
    Files.writeString(root.resolve("run/kit/environment"), environment);
    Files.writeString(root.resolve("run/kit/prepare"), preparation());
    Files.writeString(root.resolve("run/kit/command"), command(first()));
  }

  private Container first() {
    return pod.getSpec().getContainers().getFirst();
  }

  private void mount(VolumeMount mount) throws IOException {
    Path target = inside(mount.getMountPath());
    Files.createDirectories(target);
    for (Volume volume : pod.getSpec().getVolumes()) {
      if (volume.getName().equals(mount.getName())) {
        if (volume.getConfigMap() != null) {
          fill(target, volume.getConfigMap());
        }
        if (volume.getHostPath() != null) {
          var mode = Boolean.TRUE.equals(mount.getReadOnly()) ? "ro" : "rw";
          binds.add(
              String.join(
                  " ", mode, volume.getHostPath().getPath(), root.relativize(target).toString()));
        }
      }
    }
  }

  private void fill(Path folder, ConfigMapVolumeSource source) throws IOException {
    ConfigMap map =
        client
            .configMaps()
            .inNamespace(pod.getMetadata().getNamespace())
            .withName(source.getName())
            .get();
    if (map == null) {
      throw new SandboxException("there is no ConfigMap " + source.getName());
    }
    Map<String, KeyToPath> items =
        source.getItems().stream().collect(Collectors.toMap(KeyToPath::getKey, item -> item));
    int mode = Optional.ofNullable(source.getDefaultMode()).orElse(DEFAULT_MODE);
    for (var entry : map.getData().entrySet()) {
      var item = Optional.ofNullable(items.get(entry.getKey()));
      if (items.isEmpty() || item.isPresent()) {
        Path file = folder.resolve(item.map(KeyToPath::getPath).orElse(entry.getKey()));
        Files.createDirectories(file.getParent());
        Files.deleteIfExists(file);
        Files.writeString(file, entry.getValue());
        Files.setPosixFilePermissions(
            file, permissions(item.flatMap(i -> Optional.ofNullable(i.getMode())).orElse(mode)));
      }
    }
  }

  /** A path of the container; never one above its root. */
  private Path inside(String path) {
    Path resolved = root.resolve(path.replaceFirst("^/+", "")).normalize();
    if (!resolved.startsWith(root)) {
      throw new SandboxException("the mount path " + path + " leads out of the container");
    }
    return resolved;
  }

  private String preparation() {
    return pod.getSpec().getInitContainers().stream()
            .filter(container ->
                !container.getCommand().isEmpty() && container.getCommand().getFirst().equals("sh"))
            .map(
                container -> "(\n" + environment(container) + command(container) + ") || exit $?\n")
            .collect(Collectors.joining())
        + COPIES;
  }

  private String environment(Container container) {
    return container.getEnv().stream()
        .flatMap(variable ->
            value(variable).stream()
                .map(value -> "export " + variable.getName() + "=" + quoted(value) + "\n"))
        .collect(Collectors.joining());
  }

  private Optional<String> value(EnvVar variable) {
    if (variable.getValueFrom() == null) {
      return Optional.ofNullable(variable.getValue()).or(() -> Optional.of(""));
    }
    if (variable.getValueFrom().getFieldRef() == null) {
      return Optional.empty();
    }
    var metadata = pod.getMetadata();
    var path = variable.getValueFrom().getFieldRef().getFieldPath();
    var entry = ENTRY.matcher(path);
    if (entry.matches()) {
      var map = entry.group(1).equals("labels") ? metadata.getLabels() : metadata.getAnnotations();
      return Optional.ofNullable(map.get(entry.group(2)));
    }
    return switch (path) {
      case "metadata.name" -> Optional.of(metadata.getName());
      case "metadata.namespace" -> Optional.of(metadata.getNamespace());
      case "status.podIP" -> Optional.of(address);
      default -> Optional.empty();
    };
  }

  private static String command(Container container) {
    var words = new ArrayList<>(container.getCommand());
    words.addAll(container.getArgs());
    if (words.isEmpty()) {
      // What the image would run is not known: a container that stays.
      return "while :; do sleep 3600; done\n";
    }
    return "exec " + words.stream().map(PodFiles::quoted).collect(Collectors.joining(" ")) + "\n";
  }

  private static String quoted(String word) {
    return "'" + word.replace("'", "'\\''") + "'";
  }

  /** Of a mode as in chmod; owner is who reads first. */
  private static Set<PosixFilePermission> permissions(int mode) {
    var all = PosixFilePermission.values();
    var permissions = EnumSet.noneOf(PosixFilePermission.class);
    for (int bit = 0; bit < all.length; bit++) {
      if ((mode & (0400 >> bit)) != 0) {
        permissions.add(all[bit]);
      }
    }
    return permissions;
  }
}
