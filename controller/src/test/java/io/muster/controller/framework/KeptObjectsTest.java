package io.muster.controller.framework;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.muster.controller.kinds.paddle.PaddleKind;
import io.muster.controller.kube.GangHolders;
import io.muster.controller.port.GangReports;
import io.muster.controller.port.JobMeter;
import io.muster.controller.port.JobsUnwatchedException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** The policies that guard jobs come back if somebody changes or deletes one. */
@EnableKubernetesMockClient(https = false)
final class KeptObjectsTest {

  private static final String POLICIES =
      "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies/";

  private KubernetesClient client;
  private KubernetesMockServer server;
  private Instant now = Instant.parse("2026-11-28T00:00:00Z");

  /** The server knows nothing, and refuses: whatever that is, sizes are decided all the same. */
  @Test
  void everyFiveMinutes() throws JobsUnwatchedException, InterruptedException {
    var access = JobAccess.of(client, "muster", () -> now);
    try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
      var controller =
          new KindController<>(
              new PaddleKind(access, mock(GangReports.class)),
              access,
              mock(CapacitySharing.class),
              new GangHolders(client, mock(), () -> now, List.of()),
              executor,
              mock(JobMeter.class));
      int before = server.getRequestCount();

      controller.tick();
      now = now.plus(Duration.ofMinutes(4));
      controller.tick();
      assertThat(server.getRequestCount()).isEqualTo(before + 1);
      now = now.plus(Duration.ofMinutes(1));
      controller.tick();

      assertThat(server.getRequestCount()).isEqualTo(before + 2);
      assertThat(server.getLastRequest().getMethod()).isEqualTo("PATCH");
      assertThat(server.getLastRequest().getPath()).startsWith(POLICIES);
    }
  }
}
