package io.muster.controller.di.server;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.muster.controller.di.Aggregators;
import io.muster.controller.di.api.DIJob;
import io.muster.controller.kube.JobWrites;
import java.util.List;
import java.util.Optional;

/** The API server itself. Safe for concurrent use. */
final class ApiStore implements DiStore {

  private static final ObjectMapper JSON = new ObjectMapper();

  private final KubernetesClient client;
  private final Aggregators aggregators;

  ApiStore(KubernetesClient client) {
    this.client = client;
    this.aggregators = new Aggregators(client);
  }

  @Override
  public Optional<DIJob> job(String namespace, String name) {
    return Optional.ofNullable(
        client.resources(DIJob.class).inNamespace(namespace).withName(name).get());
  }

  @Override
  public Optional<Pod> pod(String namespace, String name) {
    return Optional.ofNullable(client.pods().inNamespace(namespace).withName(name).get());
  }

  @Override
  public DIJob edit(DIJob known, List<Edit> edits) {
    return resource(known).patch(PatchContext.of(PatchType.JSON), patch(known, edits));
  }

  @Override
  public DIJob editStatus(DIJob known, List<Edit> edits) {
    return resource(known)
        .subresource("status")
        .patch(PatchContext.of(PatchType.JSON), patch(known, edits));
  }

  private Resource<DIJob> resource(DIJob known) {
    return client
        .resources(DIJob.class)
        .inNamespace(known.getMetadata().getNamespace())
        .withName(known.getMetadata().getName());
  }

  /** With the version that it is for, without which it would be put over what others wrote. */
  private static String patch(DIJob known, List<Edit> edits) {
    var patch = JSON.createArrayNode();
    put(
        patch,
        "replace",
        new Edit("/metadata/resourceVersion", known.getMetadata().getResourceVersion()));
    edits.forEach(edit -> put(patch, "add", edit));
    return patch.toString();
  }

  private static void put(ArrayNode patch, String how, Edit edit) {
    patch
        .addObject()
        .put("op", how)
        .put("path", edit.path())
        .set("value", JSON.valueToTree(edit.value()));
  }

  @Override
  public void delete(Pod pod) {
    JobWrites.deletePod(client, pod.getMetadata());
  }

  @Override
  public List<Integer> gpusOfNodes() {
    return client.nodes().list().getItems().stream().map(ApiStore::gpus).toList();
  }

  private static int gpus(Node node) {
    return Optional.ofNullable(node.getStatus())
        .flatMap(status -> Optional.ofNullable(status.getAllocatable()))
        .flatMap(allocatable -> Optional.ofNullable(allocatable.get(WorkerAsk.GPU)))
        .map(quantity -> quantity.getNumericalAmount().intValue())
        .orElse(0);
  }

  @Override
  public boolean hasAggregator() {
    return aggregators.get().isPresent();
  }
}
