package io.muster.controller.kinds.di.server.worker;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.muster.controller.framework.JobWrites;
import io.muster.controller.kinds.di.Aggregators;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.api.RoleTemplate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/** The API server itself. Safe for concurrent use. */
public final class ApiStore implements DiStore {

  private static final ObjectMapper JSON = new ObjectMapper();

  /** Many coordinators may ask at once. */
  private static final Duration LISTED_APART = Duration.ofSeconds(5);

  private final KubernetesClient client;
  private final Aggregators aggregators;
  private final InstantSource clock;
  private List<Node> nodes = List.of();
  private Instant listed = Instant.MIN;

  public ApiStore(KubernetesClient client, InstantSource clock) {
    this.client = client;
    this.clock = clock;
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
    var metadata = pod.getMetadata();
    JobWrites.deletePod(client, metadata.getNamespace(), metadata.getName(), metadata.getUid());
  }

  @Override
  public synchronized List<Node> nodes() {
    return clock.instant().isBefore(listed.plus(LISTED_APART)) ? nodes : newestNodes();
  }

  @Override
  public synchronized List<Node> newestNodes() {
    var now = clock.instant();
    nodes = client.nodes().list().getItems();
    listed = now;
    return nodes;
  }

  @Override
  public List<Pod> podsOnNodes() {
    return client
        .pods()
        .inAnyNamespace()
        .withoutField("status.phase", "Succeeded")
        .withoutField("status.phase", "Failed")
        .withoutField("spec.nodeName", "")
        .list()
        .getItems();
  }

  @Override
  public Optional<RoleTemplate> aggregator() {
    return aggregators.get();
  }
}
