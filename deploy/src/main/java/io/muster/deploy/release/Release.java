package io.muster.deploy.release;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.muster.controller.kube.Marks;
import io.muster.extender.core.cluster.Accelerators;
import io.muster.extender.core.gang.Enrolment;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.kube.watch.EveryPod;
import io.muster.webhook.kube.Registration;
import java.net.HttpURLConnection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Leaves every pod to kube-scheduler alone: no registration, no gate of Muster's, and the marker
 * resource offered by the nodes, since it cannot be taken off a pod. Each step may be repeated.
 */
final class Release {

  /** Above what fits on any node; the marker stands for nothing that runs out. */
  private static final String MARKERS_OFFERED = "100000";

  private static final int MOST_PASSES = 10;
  private static final int NAMED = 10;

  private final KubernetesClient client;
  private final String namespace;
  private final Consumer<String> out;

  /** Waits until what was changed has reached every apiserver. */
  interface Pause {
    void pass() throws InterruptedException;
  }

  Release(KubernetesClient client, String namespace, Consumer<String> out) {
    this.client = client;
    this.namespace = namespace;
    this.out = out;
  }

  void all(Pause pause) throws InterruptedException {
    if (label("true")) {
      out.accept(
          "namespace %s is labelled %s=true: a running Muster passes everything through"
              .formatted(namespace, Enrolment.RELEASED_LABEL));
    }
    Registration.remove(client);
    out.accept("the registration is withdrawn: pods are made without Muster");
    int opened = 0;
    for (int pass = 0; pass < MOST_PASSES; pass++) {
      // The apiserver asks by the old registration for a moment more, and a running Muster that
      // has not yet read the label may write it once more.
      pause.pass();
      Registration.remove(client);
      int found = openGates();
      opened += found;
      if (found == 0 && pass > 0) {
        break;
      }
    }
    out.accept("gates taken off: " + opened);
    offerMarkers();
    nameTied();
  }

  /** Takes the mark off Muster's namespace; false if there is no such namespace. */
  boolean unmark() {
    return label(null);
  }

  void undo() {
    if (!unmark()) {
      out.accept("there is no namespace " + namespace + ": nothing to be undone there");
    }
    int nodes = 0;
    for (var node : client.nodes().list().getItems()) {
      if (offersMarkers(node)) {
        offer(node, null);
        nodes++;
      }
    }
    out.accept(
        "Muster may take up its duty again, and does so where it runs; nodes that no longer offer"
            + " %s: %d".formatted(Accelerators.MARKER, nodes));
  }

  private boolean label(String value) {
    var own = client.namespaces().withName(namespace);
    if (own.get() == null) {
      return false;
    }
    own.patch(
        PatchContext.of(PatchType.JSON_MERGE),
        """
        {"metadata": {"labels": {"%s": %s}}}\
        """
            .formatted(Enrolment.RELEASED_LABEL, value == null ? "null" : "\"" + value + "\""));
    return true;
  }

  private int openGates() {
    int opened = 0;
    for (var pod : pods(Release::isGated)) {
      try {
        client
            .pods()
            .inNamespace(pod.getMetadata().getNamespace())
            .withName(pod.getMetadata().getName())
            .patch(
                PatchContext.of(PatchType.STRATEGIC_MERGE),
                """
                {"metadata": {"uid": "%s"},
                 "spec": {"schedulingGates": [{"name": "%s", "$patch": "delete"}]}}\
                """
                    .formatted(
                        pod.getMetadata().getUid(), io.muster.extender.core.cluster.Pod.GATE));
        opened++;
      } catch (KubernetesClientException e) {
        if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND
            && e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
          throw e;
        }
      }
    }
    return opened;
  }

  private void offerMarkers() {
    if (pods(Release::waitsWithMarker).isEmpty()) {
      return;
    }
    int nodes = 0;
    for (var node : client.nodes().list().getItems()) {
      if (!offersMarkers(node)) {
        offer(node, MARKERS_OFFERED);
        nodes++;
      }
    }
    out.accept(
        "%d nodes now offer %s, which waiting pods ask for and which cannot be taken off them"
            .formatted(nodes, Accelerators.MARKER));
  }

  private void offer(Node node, String count) {
    var quantity = count == null ? "null" : "\"" + count + "\"";
    client
        .nodes()
        .withName(node.getMetadata().getName())
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            """
            {"status": {"capacity": {"%s": %s}, "allocatable": {"%s": %s}}}\
            """
                .formatted(Accelerators.MARKER, quantity, Accelerators.MARKER, quantity));
  }

  private void nameTied() {
    var tied = pods(Release::waitsTied);
    if (!tied.isEmpty()) {
      out.accept(
          "pods that wait and are tied to nodes, %d: %s; delete those whose owner makes them anew"
              .formatted(
                  tied.size(),
                  String.join(
                      ", ",
                      tied.stream()
                          .limit(NAMED)
                          .map(pod ->
                              pod.getMetadata().getNamespace() + "/" + pod.getMetadata().getName())
                          .toList())));
    }
  }

  private List<Pod> pods(Predicate<Pod> wanted) {
    var found = new ArrayList<Pod>();
    EveryPod.of(
        client,
        pod -> {
          if (wanted.test(pod)) {
            found.add(pod);
          }
        });
    return found;
  }

  private static boolean isGated(Pod pod) {
    return pod.getSpec().getSchedulingGates().stream()
        .anyMatch(gate -> io.muster.extender.core.cluster.Pod.GATE.equals(gate.getName()));
  }

  private static boolean waits(Pod pod) {
    return pod.getSpec().getNodeName() == null && "Pending".equals(pod.getStatus().getPhase());
  }

  private static boolean waitsWithMarker(Pod pod) {
    return waits(pod)
        && pod.getSpec().getContainers().stream()
            .flatMap(container -> Stream.ofNullable(container.getResources()))
            .flatMap(resources -> Stream.ofNullable(resources.getRequests()))
            .anyMatch(requests -> requests.containsKey(Accelerators.MARKER));
  }

  private static boolean waitsTied(Pod pod) {
    return waits(pod) && Marks.annotations(pod).containsKey(GangKeys.PINNED);
  }

  private static boolean offersMarkers(Node node) {
    return Objects.requireNonNullElse(node.getStatus().getCapacity(), Map.of())
        .containsKey(Accelerators.MARKER);
  }
}
