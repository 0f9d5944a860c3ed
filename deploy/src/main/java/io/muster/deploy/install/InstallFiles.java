package io.muster.deploy.install;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.muster.extender.kube.gang.Gang;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The files of {@code deploy/rbac} and {@code deploy/crds}, as they were when the program was
 * built. Stateless.
 */
public final class InstallFiles {

  /** The definition without which Muster does nothing; the others are of job kinds. */
  public static final String GANGS = Gang.PLURAL + "." + Gang.GROUP;

  private static final List<String> DEFINITIONS =
      List.of(
          GANGS,
          "trainingjobs.kai.alibabacloud.com",
          "scaleins.kai.alibabacloud.com",
          "scaleouts.kai.alibabacloud.com",
          "elasticjobs.elastic.iml.github.io",
          "scaleplans.elastic.iml.github.io",
          "dijobs.diengine.opendilab.org",
          "aggregatorconfigs.diengine.opendilab.org",
          "trainingjobs.paddlepaddle.org");

  /** The definition of the jobs of each kind, as the setting {@code jobKinds} calls the kinds. */
  public static final Map<String, String> JOBS =
      Map.of(
          "etoperator", "trainingjobs.kai.alibabacloud.com",
          "dlrover", "elasticjobs.elastic.iml.github.io",
          "di", "dijobs.diengine.opendilab.org",
          "paddle", "trainingjobs.paddlepaddle.org");

  /** What Muster's namespace is called in the files. */
  public static final String NAMESPACE = "muster-system";

  private InstallFiles() {}

  /** Every definition, that of gangs first. */
  public static List<CustomResourceDefinition> definitions() {
    return DEFINITIONS.stream()
        .flatMap(name -> objects("crds/" + name + "-v1.yml").stream())
        .map(CustomResourceDefinition.class::cast)
        .toList();
  }

  /** The namespace, the account and the rights that Muster needs for gangs. */
  public static List<HasMetadata> rights() {
    return objects("rbac/muster.yml");
  }

  /**
   * The rights that it needs more for a kind of jobs, and the namespaces that some of them are in.
   *
   * @param kind one of {@link #JOBS}
   */
  public static List<HasMetadata> rightsForJobs(String kind) {
    return objects("rbac/" + kind + ".yml");
  }

  /** The account and the rights of the board. */
  public static List<HasMetadata> rightsOfTheBoard() {
    return objects("rbac/board.yml");
  }

  /** The rights that users get. */
  public static List<HasMetadata> rightsOfUsers() {
    return objects("rbac/users.yml");
  }

  /** The configuration of the cluster's own kube-scheduler with Muster as its extender, as YAML. */
  public static String sharedScheduler() {
    try (var text = open("scheduler/shared-scheduler.yaml")) {
      return new String(text.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("scheduler/shared-scheduler.yaml", e);
    }
  }

  private static InputStream open(String file) {
    return Optional.ofNullable(InstallFiles.class.getResourceAsStream("/install/" + file))
        .orElseThrow(() -> new IllegalStateException("the program was built without " + file));
  }

  private static List<HasMetadata> objects(String file) {
    try (var text = open(file)) {
      Object read = new KubernetesSerialization().unmarshal(text);
      return switch (read) {
        case KubernetesResourceList<?> list -> List.copyOf(list.getItems());
        case List<?> list -> list.stream().map(HasMetadata.class::cast).toList();
        default -> List.of((HasMetadata) read);
      };
    } catch (IOException e) {
      throw new UncheckedIOException(file, e);
    }
  }
}
