package io.muster.deploy.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.muster.deploy.release.FakeApi;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Timeout(60)
final class DoctorCommandTest {

  /** The heap of helm test is smaller than what thousands of nodes take, with their images. */
  @Test
  void nodesAreReadInPages(@TempDir Path folder) throws IOException {
    var out = new StringWriter();
    try (var api = new FakeApi()) {
      for (int node = 0; node < 300; node++) {
        api.with(
            "/api/v1/nodes",
            new NodeBuilder()
                .withNewMetadata()
                .withName("n" + node)
                .addToLabels("cloud.google.com/gce-topology-block", "b" + node % 3)
                .endMetadata()
                .withNewStatus()
                .addToAllocatable("nvidia.com/gpu", new Quantity("8"))
                .endStatus()
                .build());
      }
      new CommandLine(new DoctorCommand())
          .setOut(new PrintWriter(out, true))
          .execute("--kubeconfig", api.kubeconfig(folder));

      assertThat(api.requests())
          .filteredOn(request -> request.startsWith("GET /api/v1/nodes"))
          .allMatch(request -> request.contains("limit="))
          .filteredOn(request -> request.contains("limit=250"))
          .as("each page once, for all checks")
          .hasSize(2)
          .doesNotHaveDuplicates();
    }
    assertThat(out.toString())
        .contains("nodes offer nvidia.com/gpu")
        .contains("(cloud.google.com/gce-topology-block) on 300 of 300 nodes in 3 domains");
  }
}
