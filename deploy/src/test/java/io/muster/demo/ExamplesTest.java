package io.muster.demo;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.resource.v1.ResourceClaimTemplate;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.kube.convert.PodConverter;
import io.muster.sandbox.Layout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class ExamplesTest {

  private static final Path ROOT = Layout.current().deploy().getParent();

  static List<Path> examples() throws IOException {
    try (var files = Files.walk(ROOT.resolve("examples"))) {
      return files
          .filter(file -> file.toString().matches(".*\\.ya?ml"))
          .map(ROOT::relativize)
          .sorted()
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("examples")
  void beginsWithWhatToExpectHowToSeeItAndHowToUndoIt(Path example) throws IOException {
    var header =
        Files.readAllLines(ROOT.resolve(example)).stream()
            .takeWhile(line -> line.startsWith("#"))
            .toList();
    // A request has no name until it is made: apply and delete -f need one.
    boolean isRequest = Files.readString(ROOT.resolve(example)).contains("\n  generateName: ");
    assertThat(String.join("\n", header))
        .contains("# What to expect: ")
        .contains("# Do it:     kubectl " + (isRequest ? "create" : "apply") + " -f " + example)
        .contains("# See it:    kubectl ")
        .contains("# Undo it:   kubectl " + (isRequest ? "create -f " : "delete -f " + example));
  }

  @ParameterizedTest
  @MethodSource("examples")
  void holdsPodsWhoseGangsCanBeHonoured(Path example) throws IOException {
    var translation = new PodConverter(new DialectDetector());
    var terms =
        pods(example).stream()
            .flatMap(pod -> translation.pod(pod).membership().stream())
            .map(Membership::terms);
    assertThat(terms).allMatch(said -> isUsable(said, example));
  }

  /** Terms of their own, or those of an object that comes with them. */
  private static boolean isUsable(Terms terms, Path example) {
    return switch (terms) {
      case Terms.Usable _ -> true;
      case Terms.InObject(var object, var _) -> {
        try (KubernetesClient offline = new KubernetesClientBuilder().build();
            var text = Files.newInputStream(ROOT.resolve(example))) {
          yield offline.load(text).items().stream()
              .anyMatch(item ->
                  item.getApiVersion().startsWith(object.kind().group() + "/")
                      && item.getMetadata().getName().equals(object.name()));
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
      case Terms.Unusable _, Terms.Unplaceable _ -> false;
    };
  }

  private static List<Pod> pods(Path example) throws IOException {
    try (KubernetesClient offline = new KubernetesClientBuilder().build();
        var text = Files.newInputStream(ROOT.resolve(example))) {
      return offline.load(text).items().stream().flatMap(ExamplesTest::pods).toList();
    }
  }

  private static Stream<Pod> pods(HasMetadata item) {
    return switch (item) {
      case Pod pod -> Stream.of(pod);
      case Job job -> Stream.of(podOf(job, job.getSpec().getTemplate()));
      case Deployment service -> Stream.of(podOf(service, service.getSpec().getTemplate()));
      case ConfigMap _, ResourceClaimTemplate _ -> Stream.empty();
      // Their pods are made, and marked, by the controller.
      case GenericKubernetesResource other
          when other.getApiVersion().startsWith("kai.alibabacloud.com/")
              || other.getApiVersion().startsWith("elastic.iml.github.io/")
              || other.getApiVersion().startsWith("diengine.opendilab.org/")
              || other.getApiVersion().startsWith("paddlepaddle.org/") ->
          Stream.empty();
      case GenericKubernetesResource other when other.getKind().equals("PodGroup") ->
          Stream.empty();
      // GitOpsIT applies what they bring.
      case Namespace _ -> Stream.empty();
      case GenericKubernetesResource other
          when other.getApiVersion().startsWith("argoproj.io/")
              || other.getApiVersion().contains(".toolkit.fluxcd.io/") ->
          Stream.empty();
      default -> throw new AssertionError("nobody knows what pods come of a " + item.getKind());
    };
  }

  private static Pod podOf(HasMetadata owner, PodTemplateSpec template) {
    return new PodBuilder()
        .withMetadata(template.getMetadata())
        .editMetadata()
        .withName(owner.getMetadata().getName() + "-0")
        .withNamespace(owner.getMetadata().getNamespace())
        .endMetadata()
        .withSpec(template.getSpec())
        .build();
  }
}
