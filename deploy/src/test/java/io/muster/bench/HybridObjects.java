package io.muster.bench;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.muster.simulator.edl.ServiceBesideTraining.Shape;
import java.util.Map;

/**
 * The objects of the published experiment: nodes, pods of the system, the online service and jobs
 * of PaddlePaddle, memory included. Stateless.
 */
final class HybridObjects {

  static final String SYSTEM = "system";
  static final String SERVICE = "nginx";

  /** What a node of the experiment had on average. */
  private static final String NODE_MEMORY = "102746M";

  /** Half of the longest that the replay has a pod of the service take to end. */
  private static final int SERVICE_GRACE_SECONDS = 13;

  private HybridObjects() {}

  static Node node(String name, int cores) {
    var offered =
        Map.of(
            "cpu", new Quantity(Integer.toString(cores)),
            "memory", new Quantity(NODE_MEMORY),
            "ephemeral-storage", new Quantity("1Ti"),
            "pods", new Quantity("110"));
    return new NodeBuilder()
        .withNewMetadata()
        .withName(name)
        .addToLabels("kubernetes.io/hostname", name)
        .addToLabels("kubernetes.io/os", "linux")
        .addToLabels("kubernetes.io/arch", "amd64")
        .addToAnnotations("kwok.x-k8s.io/node", "fake")
        .endMetadata()
        .withNewStatus()
        .withCapacity(offered)
        .withAllocatable(offered)
        .endStatus()
        .build();
  }

  static String systemPod(String node, int cpuMillis) {
    return """
    {"apiVersion":"v1","kind":"Pod","metadata":{"name":"system-%s","namespace":"%s"},
     "spec":{"nodeName":"%s","containers":[{"name":"main","image":"any",
      "resources":{"requests":{"cpu":"%dm"}}}]}}\
    """
        .formatted(node, SYSTEM, node, cpuMillis);
  }

  static String service(int pods, int cpuMillis) {
    return """
    {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"%1$s","namespace":"%2$s"},
     "spec":{"replicas":%3$d,"selector":{"matchLabels":{"app":"%1$s"}},
      "template":{"metadata":{"labels":{"app":"%1$s"}},"spec":{"terminationGracePeriodSeconds":%4$d,
       "containers":[{"name":"nginx","image":"nginx:1.7.9","resources":{
        "requests":{"cpu":"%5$dm","memory":"3Gi"},"limits":{"cpu":"%5$dm","memory":"3Gi"}}}]}}}}\
    """
        .formatted(SERVICE, Manifests.NAMESPACE, pods, SERVICE_GRACE_SECONDS, cpuMillis);
  }

  static String job(String name, Shape shape, int graceSeconds) {
    return """
    {"apiVersion":"paddlepaddle.org/v1","kind":"TrainingJob","metadata":{"name":"%s",
      "namespace":"%s","annotations":{"muster.io/grace-seconds":"%d"}},
     "spec":{"image":"paddlepaddle/edl-example","fault_tolerant":true,"passes":120,
      "trainer":{"entrypoint":"python train_ft.py","workspace":"/workspace",
       "min-instance":%d,"max-instance":%d,%s},
      "pserver":{"min-instance":%d,"max-instance":%d,%s},
      "master":{%s}}}\
    """
        .formatted(
            name,
            Manifests.NAMESPACE,
            graceSeconds,
            shape.least(),
            shape.most(),
            resources(shape.trainerCpu(), "8Gi"),
            shape.pservers(),
            shape.pservers(),
            resources(shape.pserverCpu(), "5Gi"),
            resources(shape.masterCpu(), "1Gi"));
  }

  private static String resources(int cpuMillis, String memory) {
    return """
    "resources":{"requests":{"cpu":"%1$dm","memory":"%2$s"},"limits":{"cpu":"%1$dm","memory":"%2$s"}}\
    """
        .formatted(cpuMillis, memory);
  }
}
