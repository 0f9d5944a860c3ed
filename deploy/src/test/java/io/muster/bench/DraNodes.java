package io.muster.bench;

import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Makes every second node one that offers its GPUs by Dynamic Resource Allocation alone, under the
 * same name, and back again; and members that claim them. Confined to one thread.
 */
final class DraNodes implements AutoCloseable {

  private static final String GPU = "nvidia.com/gpu";
  private static final String DRIVER = "gpu.example.com";
  private static final String RESOURCES = "/apis/resource.k8s.io/v1/";
  private static final String CLASSES = RESOURCES + "deviceclasses";
  private static final String SLICES = RESOURCES + "resourceslices";
  private static final String CLAIMS =
      RESOURCES + "namespaces/" + Manifests.NAMESPACE + "/resourceclaims";
  private static final String TEMPLATES =
      RESOURCES + "namespaces/" + Manifests.NAMESPACE + "/resourceclaimtemplates";
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final Api api;
  private final List<String> nodes;

  private DraNodes(Api api, List<String> nodes) {
    this.api = api;
    this.nodes = nodes;
  }

  /** Of so many nodes of the bench. */
  static DraNodes everySecondOf(Api api, int count) {
    var nodes =
        IntStream.range(0, count)
            .filter(i -> i % 2 == 1)
            .mapToObj(i -> Arena.NODE_PREFIX + "-" + i)
            .toList();
    var made = new DraNodes(api, nodes);
    api.post(CLASSES, deviceClass()).orFail("the DeviceClass");
    for (int gpus : List.of(1, 2)) {
      api.post(TEMPLATES, claimTemplate(gpus)).orFail("a ResourceClaimTemplate");
    }
    Crowd.each(
        nodes,
        node -> {
          made.offer(node, "null");
          api.post(SLICES, slice(node)).orFail("a ResourceSlice");
        });
    return made;
  }

  private void offer(String node, String gpus) {
    var amounts = "{\"%s\":%s}".formatted(GPU, gpus);
    api.patch(
            "/api/v1/nodes/" + node + "/status",
            "{\"status\":{\"capacity\":%s,\"allocatable\":%s}}".formatted(amounts, amounts))
        .orFail("a node's status");
  }

  private static String deviceClass() {
    return """
    {"metadata": {"name": "%s"},
     "spec": {"extendedResourceName": "%s",
              "selectors": [{"cel": {"expression": "device.driver == '%s'"}}]}}
    """
        .formatted(DRIVER, GPU, DRIVER);
  }

  private static String slice(String node) {
    var devices =
        IntStream.range(0, NodeShape.GPU8.gpus())
            .mapToObj("{\"name\": \"gpu-%d\"}"::formatted)
            .collect(Collectors.joining(", "));
    return """
    {"metadata": {"name": "%s"},
     "spec": {"driver": "%s", "nodeName": "%s", "devices": [%s],
              "pool": {"name": "%s", "generation": 1, "resourceSliceCount": 1}}}
    """
        .formatted(node, DRIVER, node, devices, node);
  }

  /** The same member, which asks for its GPUs by a claim that is made of a template. */
  static String claiming(String member, int gpus) {
    var asked = "\"limits\":{\"%s\":\"%d\"}".formatted(GPU, gpus);
    var claim =
        "\"resourceClaims\":[{\"name\":\"gpus\",\"resourceClaimTemplateName\":\"%s\"}],"
            .formatted(template(gpus));
    return member
        .replace(asked, "\"claims\":[{\"name\":\"gpus\"}]")
        .replace("\"spec\":{", "\"spec\":{" + claim);
  }

  private static String template(int gpus) {
    return "gpus-" + gpus;
  }

  private static String claimTemplate(int gpus) {
    return """
    {"metadata": {"name": "%s"},
     "spec": {"spec": {"devices": {"requests": [
       {"name": "gpus", "exactly": {"deviceClassName": "%s", "count": %d}}]}}}}
    """
        .formatted(template(gpus), DRIVER, gpus);
  }

  /** Claims that were made for pods which are not there, once they have had time to go. */
  List<String> orphans(Set<String> pods) {
    var left = new ArrayList<String>();
    Await.within(
        LIMIT,
        () -> {
          left.clear();
          for (var claim : api.get(CLAIMS).path("items")) {
            var metadata = claim.path("metadata");
            var owner = metadata.at("/ownerReferences/0/name").asText();
            if (!pods.contains(owner)) {
              left.add(metadata.path("name").asText());
            }
          }
          return left.isEmpty();
        });
    return left;
  }

  /** Waits until the claims of the pods that have gone are gone too. */
  void awaitNoClaims() {
    Await.until(
        "no claim to be left", LIMIT, () -> api.get(CLAIMS + "?limit=1").path("items").isEmpty());
  }

  @Override
  public void close() {
    api.delete(SLICES, "{}").orFail("the deletion of " + SLICES);
    api.delete(TEMPLATES, "{}").orFail("the deletion of " + TEMPLATES);
    api.delete(CLASSES + "/" + DRIVER, "{}").orFail("the deletion of the DeviceClass");
    Crowd.each(nodes, node -> offer(node, "\"%d\"".formatted(NodeShape.GPU8.gpus())));
  }
}
