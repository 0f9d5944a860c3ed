package io.muster.deploy.certs;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.deploy.release.FakeApi;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Timeout(120)
final class StatusCommandTest {

  @TempDir Path folder;

  @Test
  void anApiServerThatIsGoneIsToldSoonAndWithItsCause() throws IOException {
    String kubeconfig;
    try (var api = new FakeApi()) {
      kubeconfig = api.kubeconfig(folder);
    }
    var faults = new ArrayList<Exception>();
    var begun = Instant.now();

    new CommandLine(new StatusCommand())
        .setErr(new PrintWriter(new StringWriter()))
        .setExecutionExceptionHandler((fault, _, _) -> {
          faults.add(fault);
          return 2;
        })
        .execute("--kubeconfig", kubeconfig);

    assertThat(Duration.between(begun, Instant.now())).isLessThan(Duration.ofSeconds(20));
    assertThat(faults)
        .singleElement()
        .satisfies(fault -> assertThat(fault).hasCauseInstanceOf(KubernetesClientException.class))
        .satisfies(fault ->
            assertThat(fault.getMessage())
                .contains("the apiserver does not answer")
                .doesNotContain("Operation:"));
  }
}
