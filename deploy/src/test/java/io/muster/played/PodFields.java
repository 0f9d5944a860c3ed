package io.muster.played;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.muster.sandbox.SandboxException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the downward API says of a pod. Stateless. */
final class PodFields {

  private static final Pattern REFERENCE = Pattern.compile("\\$\\(([^)]+)\\)");

  private PodFields() {}

  /** The value of a {@code fieldPath}; {@code address} is the pod's own. */
  static String value(Pod pod, String path, String address) {
    return switch (path) {
      case "metadata.name" -> pod.getMetadata().getName();
      case "metadata.namespace" -> pod.getMetadata().getNamespace();
      case "metadata.uid" -> pod.getMetadata().getUid();
      case "spec.nodeName" -> pod.getSpec().getNodeName();
      case "spec.serviceAccountName" -> pod.getSpec().getServiceAccountName();
      case "status.podIP", "status.podIPs" -> address;
      case "status.hostIP" -> PlayedKubelet.HOST;
      default -> throw new SandboxException("the field " + path + " is not played");
    };
  }

  /** The environment that a container asks for, in its order. */
  static Map<String, String> environment(Pod pod, Container container, String address) {
    var environment = new LinkedHashMap<String, String>();
    for (EnvVar variable : container.getEnv()) {
      var from = variable.getValueFrom();
      if (from != null && from.getFieldRef() == null) {
        throw new SandboxException(variable.getName() + " comes from a source that is not played");
      }
      environment.put(
          variable.getName(),
          from == null
              ? expanded(Objects.requireNonNullElse(variable.getValue(), ""), environment)
              : value(pod, from.getFieldRef().getFieldPath(), address));
    }
    return environment;
  }

  /** What a variable says of those before it; unknown names stay as they are written. */
  private static String expanded(String value, Map<String, String> before) {
    return REFERENCE
        .matcher(value)
        .replaceAll(
            found -> Matcher.quoteReplacement(before.getOrDefault(found.group(1), found.group())));
  }
}
