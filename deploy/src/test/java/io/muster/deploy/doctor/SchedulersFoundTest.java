package io.muster.deploy.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.muster.deploy.config.Config;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SchedulersFoundTest {

  @TempDir private Path folder;

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
}
