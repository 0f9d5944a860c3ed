package io.muster.controller.kinds.di.server.worker;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.api.RoleTemplate;
import io.muster.controller.kinds.di.server.call.DiObjects;
import java.util.List;
import java.util.Optional;

/**
 * The API server. Each call blocks for a bounded time and throws {@link KubernetesClientException}
 * where it fails. Must be safe for concurrent use.
 */
public interface DiStore extends DiObjects {

  /** One value put into an object, in place of what is there; the path is a JSON pointer. */
  record Edit(String path, Object value) {}

  /** Changes an object if it is still as it was; gives it as it is stored. */
  DIJob edit(DIJob known, List<Edit> edits);

  /** The same with its status. */
  DIJob editStatus(DIJob known, List<Edit> edits);

  /** Deletes that very pod; one that is gone already is as good as deleted. */
  void delete(Pod pod);

  /** All nodes, as they were a few seconds ago at most. */
  List<Node> nodes();

  /** All nodes as they are now. */
  List<Node> newestNodes();

  /** All pods that take room on a node. */
  List<Pod> podsOnNodes();

  /** What the cluster's aggregators are made of; empty if it does not say. */
  Optional<RoleTemplate> aggregator();
}
