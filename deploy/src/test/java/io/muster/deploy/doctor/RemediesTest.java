package io.muster.deploy.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.muster.deploy.doctor.Finding.Outcome;
import io.muster.deploy.install.InstallFiles;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Whoever does what the doctor says makes nothing worse. */
@EnableKubernetesMockClient(https = false, crud = true)
final class RemediesTest {

  private static final String DIJOBS = "dijobs.diengine.opendilab.org";

  private KubernetesClient client;
  private KubernetesMockServer server;

  private void install(String name, boolean isMusters) {
    for (var wanted : InstallFiles.definitions()) {
      if (wanted.getMetadata().getName().equals(name)) {
        var there =
            new CustomResourceDefinitionBuilder(wanted)
                .withNewStatus()
                .addNewCondition()
                .withType("Established")
                .withStatus("True")
                .endCondition()
                .endStatus()
                .build();
        there.getSpec().getVersions().getFirst().setServed(isMusters);
        client.resource(there).create();
      }
    }
  }

  /** DI-orchestrator is at work here, and Muster runs no jobs. */
  @Test
  void aDefinitionOfAnotherOperatorIsNoProblemWhereMusterRunsNoJobsOfIt() {
    install(InstallFiles.GANGS, true);
    install(DIJOBS, false);

    assertThat(new Definitions(client, Set.of("paddle")).findings())
        .singleElement()
        .matches(finding -> finding.outcome() == Outcome.OK)
        .asString()
        .contains("other than Muster's, of job kinds that are off: " + DIJOBS);
  }

  @Test
  void onlyTheDefinitionsThatDifferAreToBeApplied() {
    install(InstallFiles.GANGS, true);
    install(DIJOBS, false);

    assertThat(new Definitions(client, Set.of("di")).findings())
        .singleElement()
        .extracting(Finding::remedy)
        .isEqualTo(
            "kubectl apply --server-side --force-conflicts -f deploy/crds/%s-v1.yml"
                .formatted(DIJOBS));
  }

  /** The files would bind the cluster-wide rights to an account of another namespace. */
  @Test
  void theFilesOfRightsAreToBeAppliedForTheNamespaceThatMusterIsIn() {
    server
        .expect()
        .post()
        .withPath("/apis/authorization.k8s.io/v1/subjectaccessreviews")
        .andReturn(
            201,
            """
            {"apiVersion":"authorization.k8s.io/v1","kind":"SubjectAccessReview",
             "status":{"allowed":false}}
            """)
        .always();

    assertThat(new Rights(client, "batch").findings(List.of("di")))
        .extracting(Finding::remedy)
        .containsExactly(
            "sed s/muster-system/batch/g deploy/rbac/muster.yml | kubectl apply -f -",
            "sed s/muster-system/batch/g deploy/rbac/di.yml | kubectl apply -f -");
  }
}
