package io.muster.deploy.release;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.ManagedFieldsEntryBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.muster.deploy.install.InstallFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class UninstallCommandTest {

  private static final String DEFINITIONS =
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

  @TempDir Path folder;

  private Scene scene;

  @BeforeEach
  void open() throws IOException {
    scene = new Scene(folder);
  }

  @AfterEach
  void close() {
    scene.close();
  }

  private Scene.Run uninstall(String namespace) throws IOException {
    return scene.run(new UninstallCommand(() -> {}), "--drain", "-n", namespace);
  }

  @Test
  void anotherNamespaceThanMustersLosesNothing() throws IOException {
    scene.registered();

    var run = uninstall("team-a");

    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err()).contains("its registration names namespace muster-system");
    assertThat(scene.api.requests()).allMatch(request -> request.startsWith("GET "));
  }

  @Test
  void aMusterThatHasNoRegistrationIsFoundByItsLeaseAndByItsRights() throws IOException {
    assertThat(uninstall("team-a").err()).contains("its Lease names namespace muster-system");

    scene.api.client().leases().inNamespace("muster-system").withName("muster").delete();

    assertThat(uninstall("team-a").err())
        .contains("the ClusterRoleBinding muster names namespace muster-system");
    assertThat(scene.api.has(Scene.TENANT)).isTrue();
  }

  @Test
  void aNamespaceOfNothingButMusterGoes() throws IOException {
    scene.deployment();
    scene.api.with(
        Scene.OWN + "/secrets",
        Scene.secret("muster-certificates", Map.of("app.kubernetes.io/managed-by", "muster")));

    var run = uninstall("muster-system");

    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("deleted: Secret")
        .contains("deleted: Namespace muster-system")
        .contains("deleted: ClusterRoleBinding muster");
    assertThat(scene.api.has(Scene.OWN)).isFalse();
    assertThat(scene.api.has(Scene.TENANT)).isTrue();
  }

  @Test
  void aNamespaceThatHoldsWhatOthersHavePutThereStaysAndLosesItsMark() throws IOException {
    var others = Scene.named("settings");
    scene.api.with(Scene.OWN + "/configmaps", new ConfigMapBuilder().withMetadata(others).build());
    scene.api.with(Scene.OWN + "/secrets", Scene.secret("muster-certificates", Map.of()));

    var run = uninstall("muster-system");

    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("is labelled muster.io/released=true")
        .contains("namespace muster-system stays: not all in it")
        .contains("ConfigMap settings")
        .doesNotContain("deleted: Secret");
    assertThat(scene.api.has(Scene.OWN)).isTrue();
    assertThat(scene.isMarked()).isFalse();
  }

  @Test
  void whatCannotBeDeletedStopsNothingElseAndIsNamed() throws IOException {
    var services = Scene.TENANT + "/services";
    scene.service("workers");
    scene.api.refuses("DELETE " + services + "/workers", 403);

    var run = uninstall("muster-system");

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err())
        .contains("objects that could not be deleted, 1: Service team-a/workers (not by");
    assertThat(run.out()).contains("deleted: Lease").contains("deleted: Namespace muster-system");

    scene.api.refuses("DELETE " + services + "/workers", 404);
    var again = uninstall("muster-system");

    assertThat(again.code()).as(again.err()).isZero();
    assertThat(again.out()).contains("deleted: ClusterRoleBinding muster");
  }

  @Test
  void theRightsOfTheBoardGo() throws IOException {
    var bindings = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings";
    for (var right : InstallFiles.rightsOfTheBoard()) {
      if (right instanceof ClusterRoleBinding binding) {
        scene.api.with(bindings, binding);
      }
    }
    assertThat(scene.api.has(bindings + "/muster-board")).isTrue();

    uninstall("muster-system");

    assertThat(scene.api.has(bindings + "/muster-board")).isFalse();
  }

  @Test
  void aSecondRunFindsNothing() throws IOException {
    uninstall("muster-system");

    var run = uninstall("muster-system");

    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.out()).contains("nor a trace of one anywhere").doesNotContain("deleted: ");
  }

  @Test
  void theMomentBetweenTwoLeadersIsNoEnd() throws IOException {
    scene.lease("");
    var looks = new AtomicInteger();
    var command =
        new UninstallCommand(() -> {
          if (looks.incrementAndGet() == 4) {
            scene.renewed("muster-2", ZonedDateTime.parse("2026-11-27T23:00:09Z"));
          }
        });

    var run = scene.run(command, "--drain", "-n", "muster-system");

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.out()).contains("muster-2 still leads").doesNotContain("deleted: ");
  }

  @Test
  void aPodThatCannotBeLetGoStopsNothingElseAndIsNamed() throws IOException {
    scene.gated("g-0");
    scene.gated("g-1");
    scene.api.refuses("PATCH " + Scene.TENANT + "/pods/g-0", 403);

    var run = uninstall("muster-system");

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err()).contains("pods that keep their gates, 1: team-a/g-0 (not by");
    assertThat(run.out()).contains("gates taken off: 1").contains("deleted: Namespace");
  }

  @Test
  void aHookThatCannotLetAPodGoLeavesMusterAtWorkUnlessForced() throws IOException {
    scene.deployment();
    scene.gated("g-0");
    scene.api.refuses("PATCH " + Scene.TENANT + "/pods/g-0", 403);
    var scaled = "PATCH /apis/apps/v1/namespaces/muster-system/deployments/muster/scale";

    var run =
        scene.run(
            new UninstallCommand(() -> {}),
            "--drain",
            "-n",
            "muster-system",
            "--deployment",
            "muster");

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err()).contains("team-a/g-0").contains("Muster goes on");
    assertThat(scene.api.requests()).noneMatch(request -> request.startsWith(scaled));
    assertThat(scene.isMarked()).isFalse();

    var forced =
        scene.run(
            new UninstallCommand(() -> {}),
            "--drain",
            "-n",
            "muster-system",
            "--deployment",
            "muster",
            "--force");

    assertThat(forced.code()).isZero();
    assertThat(forced.err()).contains("team-a/g-0");
    assertThat(scene.api.requests()).anyMatch(request -> request.startsWith(scaled));
  }

  @Test
  void aHookThatDoesNotAskKubeSchedulerLeavesMusterAtWorkForAPodThatCannotBeLetGo()
      throws IOException {
    scene.deployment();
    scene.gated("g-0");
    scene.api.refuses("PATCH " + Scene.TENANT + "/pods/g-0", 403);

    var run =
        scene.run(
            new UninstallCommand(() -> {}),
            "--drain",
            "-n",
            "muster-system",
            "--deployment",
            "muster",
            "--unasked");

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err()).contains("team-a/g-0").contains("Muster goes on");
    assertThat(scene.api.requests()).noneMatch(request -> request.contains("/scale"));
  }

  /** As the kubelet ends the pod of a Job whose deadline has come. */
  @Test
  void aHookThatIsEndedLeavesNoMusterReleased() throws IOException, InterruptedException {
    scene.deployment();
    scene.podOfTheDeployment();
    var hook =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElseThrow(),
                "-cp",
                System.getProperty("java.class.path"),
                "io.muster.deploy.Main",
                "uninstall",
                "--drain",
                "--deployment",
                "muster",
                "--unasked",
                "--kubeconfig",
                scene.api.kubeconfig(folder))
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("output").toFile())
            .start();
    try {
      while (hook.isAlive() && scene.api.requests().stream().noneMatch(r -> r.contains("/scale"))) {
        Thread.sleep(50);
      }
      assertThat(scene.isMarked()).as(Files.readString(folder.resolve("output"))).isTrue();
    } finally {
      hook.destroy();
    }

    assertThat(hook.waitFor()).isEqualTo(143);
    assertThat(scene.isMarked()).isFalse();
  }

  @Test
  void aHookInAnotherNamespaceThanMustersChangesNothing() throws IOException {
    scene.registered();

    var run =
        scene.run(
            new UninstallCommand(() -> {}), "--drain", "-n", "team-a", "--deployment", "muster");

    assertThat(run.code()).isEqualTo(2);
    assertThat(scene.api.requests()).allMatch(request -> request.startsWith("GET "));
  }

  /** As an installation by hand leaves it. */
  private CustomResourceDefinition definition(String name) {
    var wanted =
        InstallFiles.definitions().stream()
            .filter(one -> one.getMetadata().getName().equals(name))
            .findFirst()
            .orElseThrow();
    scene.api.with(DEFINITIONS, wanted);
    return wanted;
  }

  @Test
  void definitionsOfOtherOperatorsStay() throws IOException {
    definition("gangs.muster.io");
    definition("elasticjobs.elastic.iml.github.io");
    var ofAnother = definition("trainingjobs.paddlepaddle.org");
    ofAnother
        .getMetadata()
        .setAnnotations(
            Map.of(
                "meta.helm.sh/release-name", "paddle", "meta.helm.sh/release-namespace", "team-a"));
    scene.api.with(DEFINITIONS, ofAnother);
    var changed = definition("trainingjobs.kai.alibabacloud.com");
    changed.getSpec().getVersions().getFirst().setSchema(null);
    changed
        .getMetadata()
        .setManagedFields(
            List.of(new ManagedFieldsEntryBuilder().withManager("et-operator").build()));
    scene.api.with(DEFINITIONS, changed);

    var run =
        scene.run(
            new UninstallCommand(() -> {}), "--drain", "--crds", "--yes", "-n", "muster-system");

    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.out())
        .contains("deleted: CustomResourceDefinition gangs.muster.io")
        .contains("deleted: CustomResourceDefinition elasticjobs.elastic.iml.github.io")
        .contains("trainingjobs.paddlepaddle.org stays: it is of Helm release team-a/paddle")
        .contains("trainingjobs.kai.alibabacloud.com stays: it is not the one of this version")
        .contains("of whoever writes as et-operator");
  }
}
