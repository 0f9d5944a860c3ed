package io.muster.extender.kube.convert;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.kube.watch.LeanObjects;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pods that are resized in place count as kube-scheduler counts them. */
final class ResizedPodsTest {

  private static final long GI = 1L << 30;

  private final KubernetesSerialization lean = LeanObjects.serialization();
  private final PodConverter translation = new PodConverter(new DialectDetector());

  private Resources asked(String spec, String status) {
    var pod =
        """
        {"kind": "Pod", "apiVersion": "v1",
         "metadata": {"name": "w", "namespace": "ml", "uid": "u"},
         "spec": {"nodeName": "n1", %s},
         "status": {"phase": "Running", %s}}
        """
            .formatted(spec, status);
    return translation.pod(lean.unmarshal(pod, Pod.class)).demand().requests();
  }

  private static String container(int cpu) {
    return """
    "containers": [{"name": "main", "resources":
      {"limits": {"nvidia.com/gpu": "2"}, "requests": {"cpu": "%d", "memory": "4Gi"}}}]\
    """
        .formatted(cpu);
  }

  private static String status(int allocated, int inForce, String reason) {
    return """
    "conditions": [{"type": "PodResizePending", "status": "True", "reason": "%s"}],
    "containerStatuses": [{"name": "main", "ready": true, "restartCount": 0, "image": "x",
      "imageID": "", "allocatedResources": {"cpu": "%d", "memory": "4Gi"},
      "resources": {"requests": {"cpu": "%d", "memory": "4Gi"}}}]\
    """
        .formatted(reason, allocated, inForce);
  }

  @ParameterizedTest
  @CsvSource({
    // Shrunk, and the node has not let go yet.
    "1, 1, 8, '', 8",
    "1, 8, 8, '', 8",
    // Grown, when there is room for it.
    "8, 1, 1, Deferred, 8",
    // Whoever may resize a pod could else fill a node in name alone.
    "500, 1, 1, Infeasible, 1",
    "500, 1, 2, Infeasible, 2",
    "3, 3, 3, '', 3"
  })
  void itTakesWhatItHoldsOrIsToGet(
      int asked, int allocated, int inForce, String reason, int counted) {
    assertThat(asked(container(asked), status(allocated, inForce, reason)))
        .isEqualTo(new Resources(counted * 1000L, 4 * GI, Map.of("nvidia.com/gpu", 2L)));
  }

  @Test
  void soDoesOneThatStatesItForAllContainers() {
    var spec =
        """
        "resources": {"requests": {"cpu": "500"}},
        "containers": [{"name": "main", "resources": {"requests": {"memory": "4Gi"}}}]\
        """;
    var status =
        """
        "conditions": [{"type": "PodResizePending", "status": "True", "reason": "Infeasible"}],
        "allocatedResources": {"cpu": "2"}, "resources": {"requests": {"cpu": "2"}}\
        """;
    assertThat(asked(spec, status)).isEqualTo(new Resources(2000, 4 * GI, Map.of()));
  }
}
