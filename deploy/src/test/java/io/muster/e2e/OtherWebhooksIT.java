package io.muster.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.muster.sandbox.Await;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Muster beside another mutating webhook, whichever of the two is asked first. */
@ExtendWith(SandboxExtension.class)
final class OtherWebhooksIT {

  private static final Duration SOON = Duration.ofSeconds(20);

  @ParameterizedTest
  @ValueSource(strings = {"gang-indexed-job", "rendezvous-torchrun-static", "gpu-containers"})
  void bothOrdersEndInTheSamePod(String fixture, TestSpace space) {
    var before = injectedBeside("a-sidecar", fixture, space);
    var after = injectedBeside("z-sidecar", fixture, space);

    assertThat(AdmittedPods.comparable(before)).isEqualTo(AdmittedPods.comparable(after));
    assertThat(variables(before, SidecarInjector.SIDECAR))
        .contains("NCCL_DEBUG", "PYTHONUNBUFFERED");
    assertThat(variables(before, "main")).contains("INJECTED", "NCCL_DEBUG");
  }

  /** Lists in which order has no meaning are sorted: who came first shows there. */
  private static ObjectNode injectedBeside(String name, String fixture, TestSpace space) {
    try (var _ = SidecarInjector.start(space.client(), name, space.namespace())) {
      Await.until("the other webhook to be asked", SOON, () -> isAsked(space, fixture));
      var pod =
          AdmittedPods.rehearsed(space.client(), AdmittedPods.pod(fixture), space.namespace());
      pod.at("/spec/containers")
          .forEach(container -> ((ObjectNode) container).set("env", sorted(container)));
      return pod;
    }
  }

  private static boolean isAsked(TestSpace space, String fixture) {
    var pod = AdmittedPods.rehearsed(space.client(), AdmittedPods.pod(fixture), space.namespace());
    return pod.at("/spec/containers")
        .valueStream()
        .anyMatch(container -> container.path("name").asText().equals(SidecarInjector.SIDECAR));
  }

  private static JsonNode sorted(JsonNode container) {
    var sorted = ((ObjectNode) container).arrayNode();
    container
        .path("env")
        .valueStream()
        .sorted(Comparator.comparing(variable -> variable.path("name").asText()))
        .forEach(sorted::add);
    return sorted;
  }

  private static List<String> variables(ObjectNode pod, String container) {
    var names = new TreeSet<String>();
    pod.at("/spec/containers")
        .valueStream()
        .filter(found -> found.path("name").asText().equals(container))
        .flatMap(found -> found.path("env").valueStream())
        .forEach(variable -> names.add(variable.path("name").asText()));
    return List.copyOf(names);
  }
}
