package io.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * The other columns of DIJobs are made of the definition that the rest of the project uses. Run
 * with {@code -Dmuster.golden.update=true} to write them.
 */
final class InstallFilesTest {

  /** kubectl prints the columns of the newest version unless it is told another. */
  @Test
  void aFileGivesDiJobsTheColumnsOfTheirFirstVersion() throws IOException {
    var crd =
        Serialization.unmarshal(
            Files.readString(Path.of("crds/dijobs.diengine.opendilab.org-v1.yml")),
            CustomResourceDefinition.class);
    var versions = crd.getSpec().getVersions();
    var first =
        versions.stream()
            .filter(version -> version.getName().equals("v1alpha1"))
            .findFirst()
            .orElseThrow();
    versions.forEach(
        version -> version.setAdditionalPrinterColumns(first.getAdditionalPrinterColumns()));

    holds(
        "di-orchestrator-v1-columns",
        """
        # For those who know DIJobs from v1alpha1: `kubectl get dijob` prints NAME PHASE AGE. Apply it after the chart;
        # deploy/crds/dijobs.diengine.opendilab.org-v1.yml brings the other columns back. Nothing else differs, and no job notices.
        #
        #   kubectl apply --server-side --force-conflicts -f di-orchestrator-v1-columns.yaml
        #
        # Made from deploy/crds; change it there.
        """
            + Serialization.asYaml(crd));
  }

  private static void holds(String name, String text) throws IOException {
    var file = Path.of("install", name + ".yaml");
    if (Boolean.getBoolean("muster.golden.update")) {
      Files.createDirectories(file.getParent());
      Files.writeString(file, text);
    }
    assertThat(file).as("write it with -Dmuster.golden.update=true").hasContent(text);
  }
}
