package io.muster.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.sandbox.Await;
import io.muster.sandbox.Layout;
import io.muster.sandbox.MusterProcess;
import io.muster.sandbox.Program;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxOptions;
import io.muster.sandbox.StateDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** etcd is put back to what it was some time before, under a Muster that goes on. */
@Tag("long")
final class RestoredEtcdIT {

  private static final Duration SOON = Duration.ofSeconds(40);
  private static final String NAMESPACE = "ml";

  /** More than an API server writes when it starts. */
  private static final int LATER_WRITES = 200;

  @Test
  void aNewTermBeginsAndAdmissionKnowsWhatWasRestored() throws IOException {
    var layout = Layout.current();
    var state = new StateDirectory(layout.deploy().resolve("target/sandbox/restored-etcd"));
    try (var sandbox = Sandbox.start(layout, SandboxOptions.withMuster(state))) {
      var muster = sandbox.muster().orElseThrow();
      sandbox
          .client()
          .resource(
              new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build())
          .create();
      Await.until("members to be gated", SOON, () -> isGated(sandbox));
      var data = state.file("etcd");
      var kept = state.file("etcd-before");
      sandbox.kill(Program.ETCD);
      copy(data, kept);
      sandbox.restart(Program.ETCD);
      Await.until("what is written to be stored again", SOON, () -> isShadow(sandbox));
      Await.until("admission to know it", SOON, () -> !isGated(sandbox));
      write(sandbox);
      int terms = terms(muster);

      sandbox.kill(Program.APISERVER);
      sandbox.kill(Program.ETCD);
      Files.move(data, state.file("etcd-after"));
      copy(kept, data);
      sandbox.restart(Program.ETCD);
      sandbox.restart(Program.APISERVER);

      Await.until("members to be gated again", SOON, () -> isGated(sandbox));
      Await.until("a new term", SOON, () -> terms(muster) > terms);
      assertThat(Files.readString(muster.log())).contains("put back to an earlier state");
      assertThat(terms(muster)).as("one new term").isEqualTo(terms + 1);
    }
  }

  private static boolean isShadow(Sandbox sandbox) {
    try {
      sandbox
          .client()
          .namespaces()
          .withName(NAMESPACE)
          .edit(found ->
              new NamespaceBuilder(found)
                  .editMetadata()
                  .addToLabels("muster.io/enrol", "shadow")
                  .endMetadata()
                  .build());
      return true;
    } catch (KubernetesClientException e) {
      return false;
    }
  }

  private static boolean isGated(Sandbox sandbox) {
    var pod =
        new PodBuilder()
            .withNewMetadata()
            .withName("asked")
            .withNamespace(NAMESPACE)
            .addToAnnotations("muster.io/gang-name", "asked")
            .addToAnnotations("muster.io/gang-min", "2")
            .endMetadata()
            .withNewSpec()
            .addNewContainer()
            .withName("main")
            .withImage("any")
            .endContainer()
            .endSpec()
            .build();
    try {
      var stored = sandbox.client().pods().inNamespace(NAMESPACE).resource(pod).dryRun().create();
      return !stored.getSpec().getSchedulingGates().isEmpty();
    } catch (KubernetesClientException e) {
      return false;
    }
  }

  /** Versions of objects go on, so that those of before are seen to be earlier. */
  private static void write(Sandbox sandbox) {
    for (int i = 0; i < LATER_WRITES; i++) {
      var later =
          new ConfigMapBuilder()
              .withNewMetadata()
              .withName("later-" + i)
              .withNamespace(NAMESPACE)
              .endMetadata()
              .build();
      sandbox.client().resource(later).create();
    }
    var version = versionOfLease(sandbox);
    Await.until("the Lease to be renewed", SOON, () -> !version.equals(versionOfLease(sandbox)));
    var seen = versionOfLease(sandbox);
    Await.until("Muster to have read that", SOON, () -> !seen.equals(versionOfLease(sandbox)));
  }

  private static String versionOfLease(Sandbox sandbox) {
    return sandbox
        .client()
        .leases()
        .inNamespace("muster-system")
        .withName("muster")
        .get()
        .getMetadata()
        .getResourceVersion();
  }

  private static int terms(MusterProcess muster) {
    try (var lines = Files.lines(muster.log())) {
      return (int) lines.filter(line -> line.contains("\"leads\"")).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.walkFileTree(
        from,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes)
              throws IOException {
            Files.createDirectories(to.resolve(from.relativize(folder)));
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.copy(file, to.resolve(from.relativize(file)));
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
