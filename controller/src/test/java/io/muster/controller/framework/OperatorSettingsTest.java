package io.muster.controller.framework;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.controller.kinds.paddle.api.PaddleJob;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.junit.jupiter.api.Test;

final class OperatorSettingsTest {

  /** Without one it wakes as often as it may: 100 times a second. */
  @Test
  void theTimerOfTheFrameworkKeepsAThread() {
    KubernetesClient client = mock();
    ExecutorService executor = mock();
    var settings = new OperatorSettings(client, executor, PaddleJob.class, _ -> {});

    var timer = settings.getExecutorServiceManager().scheduledExecutorService();

    try {
      assertThat(timer)
          .isInstanceOfSatisfying(
              ScheduledThreadPoolExecutor.class,
              pool -> assertThat(pool.getCorePoolSize()).isEqualTo(1));
    } finally {
      timer.shutdownNow();
    }
  }
}
