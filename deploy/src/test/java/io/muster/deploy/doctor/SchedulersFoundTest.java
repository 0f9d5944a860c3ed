package io.muster.deploy.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ConfigMapVolumeSourceBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.muster.deploy.config.Config;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@EnableKubernetesMockClient(https = false, crud = true)
final class SchedulersFoundTest {

  @TempDir private Path folder;

  private KubernetesClient client;

  private List<Finding> in(String text) throws IOException {
    var file = Files.writeString(folder.resolve("scheduler.yaml"), text);
    try (var client = new KubernetesClientBuilder().build()) {
      return new SchedulersFound(client, Config.load(Optional.empty(), Map.of()), 1, List.of())
          .in(file);
    }
  }

  @Test
  void theShippedConfigurationIsRight() throws IOException {
    assertThat(in(Files.readString(Path.of("scheduler", "shared-scheduler.yaml"))))
        .isNotEmpty()
        .noneMatch(Finding::isProblem);
  }

  @Test
  void anAliasIsNotTakenForItsName() throws IOException {
    var found = in("kind: KubeSchedulerConfiguration\nprofiles: &p []\nextenders: *p\n");

    assertThat(found).singleElement().matches(Finding::isProblem);
    assertThat(found.toString())
        .contains("scheduler.yaml: line 3: an alias, *p: write out what it stands for");
  }

  /** The key of a ConfigMap need not be the name of the file. */
  @ParameterizedTest
  @CsvSource({
    "/etc/scheduler, , config.yaml, /etc/scheduler/config.yaml",
    "/etc/scheduler, , other.yaml, /etc/scheduler/other.yaml",
    "/etc/scheduler.yaml, config.yaml, config.yaml, /etc/scheduler.yaml",
    "/etc/scheduler.yaml, other.yaml, other.yaml, /etc/scheduler.yaml",
  })
  void aFileOfAConfigMapIsFoundWhateverItIsCalled(
      String mountPath, String subPath, String file, String path) {
    client
        .resource(
            new ConfigMapBuilder()
                .withNewMetadata()
                .withNamespace("kube-system")
                .withName("scheduler")
                .endMetadata()
                .addToData("config.yaml", "kind: KubeSchedulerConfiguration\n")
                .build())
        .create();
    var source = new ConfigMapVolumeSourceBuilder().withName("scheduler");
    if (!file.equals("config.yaml")) {
      source.addNewItem().withKey("config.yaml").withPath(file).endItem();
    }
    client
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withNamespace("kube-system")
                .withName("scheduler-0")
                .endMetadata()
                .withNewSpec()
                .withNodeName("n1")
                .addNewVolume()
                .withName("config")
                .withConfigMap(source.build())
                .endVolume()
                .addNewContainer()
                .withName("scheduler")
                .withCommand("kube-scheduler", "--config=" + path)
                .addNewVolumeMount()
                .withName("config")
                .withMountPath(mountPath)
                .withSubPath(subPath)
                .endVolumeMount()
                .endContainer()
                .endSpec()
                .build())
        .create();

    var found =
        new SchedulersFound(client, Config.load(Optional.empty(), Map.of()), 1, List.of())
            .inCluster();

    assertThat(found).extracting(Finding::check).contains("scheduler.extender");
  }
}
