package io.muster.chart;

import com.fasterxml.jackson.databind.JsonNode;
import java.math.BigInteger;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What Kubernetes says about a NetworkPolicy, as far as the chart makes use of it: a rule without
 * {@code from} or {@code ports} lets everybody in or is for all ports; the parts of one peer must
 * all fit, of several peers one. Refuses what it does not know. Immutable.
 */
record PolicyModel(JsonNode object) {

  /** Who calls. */
  sealed interface Caller {}

  /** From outside of the pod network, such as a node. */
  record Address(String ip) implements Caller {}

  /** A pod; namespaces have the label that Kubernetes gives them, with their name. */
  record PlayedPod(String namespace, Map<String, String> labels) implements Caller {}

  PolicyModel {
    if (!object.path("apiVersion").asText().equals("networking.k8s.io/v1")) {
      throw new IllegalArgumentException("not a NetworkPolicy of v1: " + object);
    }
  }

  List<String> types() {
    return object.path("spec").path("policyTypes").valueStream().map(JsonNode::asText).toList();
  }

  /** Whether calls to the pod are narrowed by it. */
  boolean isFor(PlayedPod pod) {
    return pod.namespace().equals(object.path("metadata").path("namespace").asText())
        && fits(object.path("spec").path("podSelector"), pod.labels());
  }

  /** The names of the ports that any rule is for. */
  Set<String> ports() {
    return new TreeSet<>(
        object
            .path("spec")
            .path("ingress")
            .valueStream()
            .flatMap(rule -> rule.path("ports").valueStream())
            .map(port -> port.path("port").asText())
            .toList());
  }

  boolean letsIn(Caller caller, String port) {
    return object
        .path("spec")
        .path("ingress")
        .valueStream()
        .filter(rule -> isEmpty(rule, "ports") || hasPort(rule, port))
        .anyMatch(rule ->
            isEmpty(rule, "from")
                || rule.path("from").valueStream().anyMatch(peer -> fits(peer, caller)));
  }

  /** Absent, null and empty all mean anything. */
  private static boolean isEmpty(JsonNode rule, String list) {
    return rule.path(list).isEmpty();
  }

  private static boolean hasPort(JsonNode rule, String port) {
    return rule.path("ports")
        .valueStream()
        .anyMatch(one ->
            one.path("port").asText().equals(port)
                && one.path("protocol").asText("TCP").equals("TCP"));
  }

  private boolean fits(JsonNode peer, Caller caller) {
    return switch (caller) {
      case Address(var ip) -> peer.has("ipBlock") && isIn(peer.path("ipBlock"), ip);
      case PlayedPod(var namespace, var labels) ->
          !peer.has("ipBlock")
              && (peer.has("namespaceSelector")
                  ? fits(
                      peer.path("namespaceSelector"),
                      Map.of("kubernetes.io/metadata.name", namespace))
                  : namespace.equals(object.path("metadata").path("namespace").asText()))
              && (!peer.has("podSelector") || fits(peer.path("podSelector"), labels));
    };
  }

  private static boolean fits(JsonNode selector, Map<String, String> labels) {
    if (selector.has("matchExpressions")) {
      throw new IllegalArgumentException("expressions are not modelled: " + selector);
    }
    return selector.path("matchLabels").properties().stream()
        .allMatch(label -> label.getValue().asText().equals(labels.get(label.getKey())));
  }

  private static boolean isIn(JsonNode block, String ip) {
    return contains(block.path("cidr").asText(), ip)
        && block.path("except").valueStream().noneMatch(one -> contains(one.asText(), ip));
  }

  private static boolean contains(String cidr, String ip) {
    var parts = cidr.split("/", 2);
    var network = InetAddress.ofLiteral(parts[0]).getAddress();
    var address = InetAddress.ofLiteral(ip).getAddress();
    int rest = network.length * Byte.SIZE - Integer.parseInt(parts[1]);
    return Stream.of(network, address).map(bytes -> bytes.length).distinct().count() == 1
        && new BigInteger(1, network)
            .shiftRight(rest)
            .equals(new BigInteger(1, address).shiftRight(rest));
  }
}
