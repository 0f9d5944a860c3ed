package io.muster.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The files that are applied as a whole are made of the parts that the rest of the project uses.
 * Run with {@code -Dmuster.golden.update=true} to write them.
 */
final class InstallFilesTest {

  @ParameterizedTest
  @CsvSource({
    "etoperator, et-operator's, 'trainingjobs,scaleins,scaleouts', kai.alibabacloud.com, etoperator",
    "dlrover, DLRover's, 'elasticjobs,scaleplans', elastic.iml.github.io, dlrover",
    "di-orchestrator, DI-orchestrator's, 'dijobs,aggregatorconfigs', diengine.opendilab.org, di",
    "paddle, PaddlePaddle's, trainingjobs, paddlepaddle.org, paddle",
  })
  void theFileForOneCommunitysKindsHoldsItsParts(
      String name, String whose, String plurals, String group, String kind) throws IOException {
    var parts =
        Stream.of(
                Arrays.stream(plurals.split(","))
                    .map(plural -> "crds/%s.%s-v1.yml".formatted(plural, group)),
                Stream.of("rbac/users.yml", "rbac/%s.yml".formatted(kind)))
            .flatMap(all -> all);
    var text =
        new StringBuilder(
            """
            # All that %1$s kinds need: their definitions, what users may do with them, and
            # Muster's rights. Before it come Muster's own: deploy/rbac/muster.yml and the definition of gangs.
            #
            #   kubectl apply --server-side --force-conflicts -f %2$s.yaml
            #
            # Never `kubectl delete -f` it: with the definitions go all jobs. docs/et-operator.md says how to take it away.
            # Made from deploy/crds and deploy/rbac; change it there.
            """
                .formatted(whose, name));
    for (var part : parts.toList()) {
      text.append("---\n").append(Files.readString(Path.of(part)).replaceFirst("^---\n", ""));
    }
    holds(name, text.toString());
  }

  /** kubectl prints the columns of the newest version unless it is told another. */
  @Test
  void aSecondFileGivesDiJobsTheColumnsOfTheirFirstVersion() throws IOException {
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
        # For those who know DIJobs from v1alpha1: `kubectl get dijob` prints NAME PHASE AGE. After di-orchestrator.yaml;
        # that file brings the other columns back. Nothing else differs, and no job notices.
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
