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
import io.muster.extender.kube.watch.EveryNode;
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
 * resource offered by the nodes, since it cannot be taken off a pod. An object that cannot be
 * changed keeps no other from it. Each step may be repeated.
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

  /** A pod to be let go, by what a patch needs: there may be thousands. */
  private record Waiting(String namespace, String name, String uid) {

    @Override
    public String toString() {
      return namespace + "/" + name;
    }
  }

  Release(KubernetesClient client, String namespace, Consumer<String> out) {
    this.client = client;
    this.namespace = namespace;
    this.out = out;
  }

  /**
   * Releases all that can be.
   *
   * @return what could not be, in sentences; empty if nothing is left to do
   */
  List<String> all(Pause pause) throws InterruptedException {
    if (label("true")) {
      out.accept(
          "namespace %s is labelled %s=true: a running Muster passes everything through"
              .formatted(namespace, Enrolment.RELEASED_LABEL));
    } else {
      out.accept("there is no namespace %s: no Muster runs in it".formatted(namespace));
    }
    return cluster(pause);
  }

  /** The same but for Muster's namespace: a Muster that runs is told nothing. */
  List<String> cluster(Pause pause) throws InterruptedException {
    Registration.remove(client);
    out.accept("the registration is withdrawn: pods are made without Muster");
    int opened = 0;
    var left = new ArrayList<String>();
    for (int pass = 0; pass < MOST_PASSES; pass++) {
      // The apiserver asks by the old registration for a moment more, and a running Muster that
      // has not yet read the label may write it once more.
      pause.pass();
      Registration.remove(client);
      var gates = openGates();
      opened += gates.done();
      left.clear();
      gates.words().ifPresent(pods -> left.add("pods that keep their gates, " + pods));
      if (gates.done() == 0 && pass > 0) {
        break;
      }
    }
    out.accept("gates taken off: " + opened);
    left.addAll(offerMarkers());
    nameTied();
    return left;
  }

  /** Takes the mark off Muster's namespace; false if there is no such namespace. */
  boolean unmark() {
    return label(null);
  }

  /**
   * Puts back what can be.
   *
   * @return what could not be, in sentences
   */
  List<String> undo() throws InterruptedException {
    if (!unmark()) {
      out.accept("there is no namespace " + namespace + ": nothing to be undone there");
    }
    var nodes = offer(Release::offersMarkers, null);
    out.accept(
        "Muster may take up its duty again, and does so where it runs; nodes that no longer offer"
            + " %s: %d".formatted(Accelerators.MARKER, nodes.done()));
    return nodes.words().stream()
        .map(names -> "nodes that go on offering %s, %s".formatted(Accelerators.MARKER, names))
        .toList();
  }

  private boolean label(String value) {
    var own = client.namespaces().withName(namespace);
    var there = own.get();
    if (there == null || there.getMetadata().getDeletionTimestamp() != null) {
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

  private ManyWrites.Outcome openGates() throws InterruptedException {
    return ManyWrites.each(pods(Release::isGated), Waiting::toString, this::openGate);
  }

  private boolean openGate(Waiting pod) {
    try {
      client
          .pods()
          .inNamespace(pod.namespace())
          .withName(pod.name())
          .patch(
              PatchContext.of(PatchType.STRATEGIC_MERGE),
              """
              {"metadata": {"uid": "%s"},
               "spec": {"schedulingGates": [{"name": "%s", "$patch": "delete"}]}}\
              """
                  .formatted(pod.uid(), io.muster.extender.core.cluster.Pod.GATE));
      return true;
    } catch (KubernetesClientException e) {
      // Another pod of that name, which the next pass finds.
      if (e.getCode() != HttpURLConnection.HTTP_CONFLICT) {
        throw e;
      }
      return false;
    }
  }

  private List<String> offerMarkers() throws InterruptedException {
    if (pods(Release::waitsWithMarker).isEmpty()) {
      return List.of();
    }
    var nodes = offer(node -> !offersMarkers(node), MARKERS_OFFERED);
    out.accept(
        "%d nodes now offer %s, which waiting pods ask for and which cannot be taken off them"
            .formatted(nodes.done(), Accelerators.MARKER));
    return nodes.words().stream()
        .map(names -> "nodes that do not offer %s, %s".formatted(Accelerators.MARKER, names))
        .toList();
  }

  private ManyWrites.Outcome offer(Predicate<Node> wanted, String count)
      throws InterruptedException {
    var names = new ArrayList<String>();
    EveryNode.of(
        client,
        node -> {
          if (wanted.test(node)) {
            names.add(node.getMetadata().getName());
          }
        });
    return ManyWrites.each(names, name -> name, name -> offer(name, count));
  }

  private boolean offer(String node, String count) {
    var quantity = count == null ? "null" : "\"" + count + "\"";
    client
        .nodes()
        .withName(node)
        .subresource("status")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            """
            {"status": {"capacity": {"%s": %s}, "allocatable": {"%s": %s}}}\
            """
                .formatted(Accelerators.MARKER, quantity, Accelerators.MARKER, quantity));
    return true;
  }

  private void nameTied() {
    var tied = pods(Release::waitsTied);
    if (!tied.isEmpty()) {
      out.accept(
          "pods that wait and are tied to nodes, %d: %s; delete those whose owner makes them anew"
              .formatted(
                  tied.size(),
                  String.join(", ", tied.stream().limit(NAMED).map(Waiting::toString).toList())));
    }
  }

  private List<Waiting> pods(Predicate<Pod> wanted) {
    var found = new ArrayList<Waiting>();
    EveryPod.of(
        client,
        pod -> {
          if (wanted.test(pod)) {
            var metadata = pod.getMetadata();
            found.add(new Waiting(metadata.getNamespace(), metadata.getName(), metadata.getUid()));
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
