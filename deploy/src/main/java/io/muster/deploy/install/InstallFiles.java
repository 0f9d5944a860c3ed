package io.muster.deploy.install;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResourceList;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.muster.extender.kube.gang.Gang;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

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

  /** The rights that users get. */
  public static List<HasMetadata> rightsOfUsers() {
    return objects("rbac/users.yml");
  }

  private static List<HasMetadata> objects(String file) {
    try (InputStream text = InstallFiles.class.getResourceAsStream("/install/" + file)) {
      if (text == null) {
        throw new IllegalStateException("the program was built without " + file);
      }
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
