package io.muster.played;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.HostPathVolumeSource;
import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.ServiceAccountTokenProjection;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeProjection;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.sandbox.SandboxException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.Base64;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * The volumes of one pod as folders of this machine: ConfigMaps, Secrets, projected tokens and
 * fields, emptyDirs and hostPaths. Files change in one step, as a kubelet changes them: names are
 * links through {@code ..data}. Confined to the thread of its pod.
 */
final class PodVolumes {

  private static final int DEFAULT_MODE = 0644;

  private final KubernetesClient client;
  private final Pod pod;
  private final Path folder;
  private final UnaryOperator<Path> host;
  private final Map<String, Map<String, File>> written = new HashMap<>();
  private final Map<String, File> tokens = new HashMap<>();
  private int generation;

  /** What a volume holds under a name. */
  private record File(String text, int mode) {}

  /**
   * @param folder for what is written here
   * @param host where a path of the node is on this machine
   */
  PodVolumes(KubernetesClient client, Pod pod, Path folder, UnaryOperator<Path> host) {
    this.client = client;
    this.pod = pod;
    this.folder = folder;
    this.host = host;
  }

  /**
   * Writes what is new. Returns the folder of each volume, or the sentence that says what is
   * missing in the place of a volume that cannot be had yet.
   */
  Outcome write() throws IOException {
    var folders = new TreeMap<String, Path>();
    for (Volume volume : pod.getSpec().getVolumes()) {
      var name = volume.getName();
      if (volume.getHostPath() != null) {
        folders.put(name, ofHost(volume.getHostPath()));
        continue;
      }
      var at = folder.resolve(name);
      folders.put(name, at);
      Files.createDirectories(at);
      if (volume.getEmptyDir() != null) {
        Files.setPosixFilePermissions(at, EnumSet.allOf(PosixFilePermission.class));
        continue;
      }
      try {
        put(name, at, files(volume));
      } catch (MissingException e) {
        return new Missing(e.getMessage());
      } catch (KubernetesClientException e) {
        // A kubelet would try again as well.
        return new Missing("the API server does not answer: " + e.getMessage());
      }
    }
    return new Written(folders);
  }

  private Path ofHost(HostPathVolumeSource source) throws IOException {
    var path = host.apply(Path.of(source.getPath()));
    if ("DirectoryOrCreate".equals(source.getType())) {
      Files.createDirectories(path);
    }
    return path;
  }

  sealed interface Outcome {}

  /** Each volume's folder by its name. */
  record Written(Map<String, Path> folders) implements Outcome {}

  record Missing(String sentence) implements Outcome {}

  private static final class MissingException extends Exception {
    private static final long serialVersionUID = 1;

    MissingException(String kind, String name) {
      super(kind + " " + name + " not found");
    }
  }

  private Map<String, File> files(Volume volume) throws MissingException {
    if (volume.getConfigMap() != null) {
      var source = volume.getConfigMap();
      return ofMap(
          source.getName(), source.getItems(), source.getDefaultMode(), source.getOptional());
    }
    if (volume.getSecret() != null) {
      var source = volume.getSecret();
      return ofSecret(
          source.getSecretName(), source.getItems(), source.getDefaultMode(), source.getOptional());
    }
    if (volume.getProjected() != null) {
      var all = new HashMap<String, File>();
      for (var source : volume.getProjected().getSources()) {
        all.putAll(projected(source, volume.getProjected().getDefaultMode()));
      }
      return all;
    }
    throw new SandboxException("volume " + volume.getName() + " is of a kind that is not played");
  }

  private Map<String, File> projected(VolumeProjection source, Integer mode)
      throws MissingException {
    if (source.getServiceAccountToken() != null) {
      var wanted = source.getServiceAccountToken();
      return Map.of(
          wanted.getPath(),
          tokens.computeIfAbsent(wanted.getPath(), _ -> new File(token(wanted), orDefault(mode))));
    }
    if (source.getConfigMap() != null) {
      var map = source.getConfigMap();
      return ofMap(map.getName(), map.getItems(), mode, map.getOptional());
    }
    if (source.getSecret() != null) {
      var secret = source.getSecret();
      return ofSecret(secret.getName(), secret.getItems(), mode, secret.getOptional());
    }
    var files = new HashMap<String, File>();
    for (var item : source.getDownwardAPI().getItems()) {
      files.put(
          item.getPath(),
          new File(PodFields.value(pod, item.getFieldRef().getFieldPath(), ""), orDefault(mode)));
    }
    return files;
  }

  private Map<String, File> ofMap(
      String name, List<KeyToPath> items, Integer mode, Boolean isOptional)
      throws MissingException {
    ConfigMap found = client.configMaps().inNamespace(namespace()).withName(name).get();
    if (found == null) {
      if (Boolean.TRUE.equals(isOptional)) {
        return Map.of();
      }
      throw new MissingException("configmap", name);
    }
    return picked(Objects.requireNonNullElse(found.getData(), Map.of()), items, mode);
  }

  private Map<String, File> ofSecret(
      String name, List<KeyToPath> items, Integer mode, Boolean isOptional)
      throws MissingException {
    Secret found = client.secrets().inNamespace(namespace()).withName(name).get();
    if (found == null) {
      if (Boolean.TRUE.equals(isOptional)) {
        return Map.of();
      }
      throw new MissingException("secret", name);
    }
    var data = new HashMap<String, String>();
    found
        .getData()
        .forEach((key, value) ->
            data.put(key, new String(Base64.getDecoder().decode(value), StandardCharsets.UTF_8)));
    return picked(data, items, mode);
  }

  private static Map<String, File> picked(
      Map<String, String> data, List<KeyToPath> items, Integer mode) throws MissingException {
    var files = new HashMap<String, File>();
    if (items == null || items.isEmpty()) {
      data.forEach((key, value) -> files.put(key, new File(value, orDefault(mode))));
      return files;
    }
    for (KeyToPath item : items) {
      if (!data.containsKey(item.getKey())) {
        throw new MissingException("key", item.getKey());
      }
      files.put(
          item.getPath(),
          new File(
              data.get(item.getKey()),
              Optional.ofNullable(item.getMode()).orElse(orDefault(mode))));
    }
    return files;
  }

  private String token(ServiceAccountTokenProjection wanted) {
    var request =
        new TokenRequestBuilder()
            .withNewSpec()
            .withAudiences(wanted.getAudience() == null ? List.of() : List.of(wanted.getAudience()))
            .withExpirationSeconds(wanted.getExpirationSeconds())
            .withNewBoundObjectRef()
            .withApiVersion("v1")
            .withKind("Pod")
            .withName(pod.getMetadata().getName())
            .withUid(pod.getMetadata().getUid())
            .endBoundObjectRef()
            .endSpec()
            .build();
    return client
        .serviceAccounts()
        .inNamespace(namespace())
        .withName(pod.getSpec().getServiceAccountName())
        .tokenRequest(request)
        .getStatus()
        .getToken();
  }

  private String namespace() {
    return pod.getMetadata().getNamespace();
  }

  private static int orDefault(Integer mode) {
    return Objects.requireNonNullElse(mode, DEFAULT_MODE);
  }

  private void put(String volume, Path at, Map<String, File> files) throws IOException {
    if (files.equals(written.get(volume))) {
      return;
    }
    generation++;
    var next = at.resolve(".." + generation);
    Files.createDirectories(next);
    for (var entry : files.entrySet()) {
      var file = next.resolve(entry.getKey());
      Files.createDirectories(file.getParent());
      Files.writeString(file, entry.getValue().text());
      own(file);
      Files.setPosixFilePermissions(file, permissions(entry.getValue().mode()));
    }
    var draft = at.resolve("..draft");
    Files.createSymbolicLink(draft, next.getFileName());
    Files.move(draft, at.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
    var names = new ArrayList<>(files.keySet());
    names.replaceAll(name -> name.split("/", 2)[0]);
    for (String name : names) {
      if (!Files.exists(at.resolve(name), java.nio.file.LinkOption.NOFOLLOW_LINKS)) {
        Files.createSymbolicLink(at.resolve(name), Path.of("..data", name));
      }
    }
    written.put(volume, files);
  }

  /** Readable for the group that the pod asks for, as a kubelet that is root makes it. */
  private void own(Path file) throws IOException {
    var security = pod.getSpec().getSecurityContext();
    if (security != null && security.getFsGroup() != null && PlayedContainer.isRoot()) {
      Files.setAttribute(file, "unix:gid", security.getFsGroup().intValue());
    }
  }

  private EnumSet<PosixFilePermission> permissions(int mode) {
    var security = pod.getSpec().getSecurityContext();
    // With fsGroup a kubelet adds what the group needs.
    int effective = security != null && security.getFsGroup() != null ? mode | 0440 : mode;
    var all = PosixFilePermission.values();
    var permissions = EnumSet.noneOf(PosixFilePermission.class);
    for (int bit = 0; bit < all.length; bit++) {
      if ((effective & 0400 >> bit) != 0) {
        permissions.add(all[bit]);
      }
    }
    return permissions;
  }
}
