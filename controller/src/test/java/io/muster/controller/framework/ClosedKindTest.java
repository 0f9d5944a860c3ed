package io.muster.controller.framework;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.spy;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.EnableKubernetesMockClient;
import io.muster.controller.kinds.paddle.PaddleKind;
import io.muster.controller.kube.GangHolders;
import io.muster.controller.port.GangReports;
import io.muster.controller.port.JobMeter;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** A kind is begun anew in each term, and every ten seconds while an object cannot be read. */
@EnableKubernetesMockClient(crud = true, https = false)
final class ClosedKindTest {

  private static final Duration SOON = Duration.ofSeconds(10);

  private KubernetesClient client;

  @Test
  void leavesNoThreadBehind() throws InterruptedException {
    var access = JobAccess.of(client, "muster", () -> Instant.EPOCH);
    var kind = spy(new PaddleKind(access, mock(GangReports.class)));
    // The server knows no server-side apply.
    doReturn(List.of()).when(kind).clusterObjects();
    var before = threadsOfPools();
    var controller =
        new KindController<>(
            kind,
            access,
            mock(CapacitySharing.class),
            new GangHolders(client, mock(), () -> Instant.EPOCH, List.of()),
            Executors.newVirtualThreadPerTaskExecutor(),
            mock(JobMeter.class));

    controller.start();
    var begun = new HashSet<>(threadsOfPools());
    begun.removeAll(before);
    controller.close();

    assertThat(begun).isNotEmpty();
    for (var thread : begun) {
      assertThat(thread.join(SOON)).as(thread.getName()).isTrue();
    }
  }

  /** Of executors that nobody has given a name, as the framework makes them. */
  private static Set<Thread> threadsOfPools() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("pool-"))
        .collect(Collectors.toSet());
  }
}
