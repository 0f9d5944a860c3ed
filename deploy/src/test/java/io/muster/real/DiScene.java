package io.muster.real;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.api.DIJobStatus;
import io.muster.sandbox.Command;
import io.muster.sandbox.NodeRequest;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxException;
import java.io.ByteArrayInputStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The DIJobs of one namespace. Confined to the thread that plays. */
final class DiScene {

  static final String NAMESPACE = "real";

  private static final Map<String, String> NODES = Map.of("play", "dijob");
  private static final Duration CALL_LIMIT = Duration.ofSeconds(10);

  private static final ObjectMapper JSON = new ObjectMapper();

  private final Sandbox sandbox;
  private final String server;

  private DiScene(Sandbox sandbox, String server) {
    this.sandbox = sandbox;
    this.server = server;
  }

  /**
   * @param server URL of Muster's server for DIJobs
   */
  static DiScene open(Sandbox sandbox, String server) {
    sandbox.kubectl("create", "namespace", NAMESPACE);
    return new DiScene(sandbox, server);
  }

  /** Nodes with a GPU each. */
  void join(int count, String prefix) {
    sandbox.nodes().add(NodeRequest.of(prefix, count, NodeShape.GPU1).labelled(NODES));
  }

  /** All that have joined. */
  void removeNodes() {
    sandbox.nodes().remove(NODES);
  }

  void create(String manifest) {
    sandbox
        .client()
        .load(new ByteArrayInputStream(manifest.getBytes(UTF_8)))
        .items()
        .forEach(object -> sandbox.client().resource(object).create());
  }

  String kubectl(String... words) {
    var line = new ArrayList<>(List.of(words));
    line.addAll(List.of("-n", NAMESPACE));
    return sandbox.kubectl(line.toArray(String[]::new)).strip();
  }

  String phase(String job) {
    return Optional.ofNullable(
            sandbox.client().resources(DIJob.class).inNamespace(NAMESPACE).withName(job).get())
        .flatMap(object -> Optional.ofNullable(object.getStatus()))
        .map(DIJobStatus::phase)
        .orElse("");
  }

  List<Pod> pods() {
    return sandbox.client().pods().inNamespace(NAMESPACE).list().getItems();
  }

  Optional<Pod> pod(String name) {
    return Optional.ofNullable(sandbox.client().pods().inNamespace(NAMESPACE).withName(name).get());
  }

  long bound() {
    return pods().stream().filter(pod -> pod.getSpec().getNodeName() != null).count();
  }

  static boolean isRunning(Pod pod) {
    return "Running".equals(pod.getStatus().getPhase()) && !pod.isMarkedForDeletion();
  }

  /** What stands in the pod, or nothing. */
  static String variable(Pod pod, String name) {
    return pod.getSpec().getContainers().getFirst().getEnv().stream()
        .filter(variable -> variable.getName().equals(name))
        .map(variable -> variable.getValue())
        .findFirst()
        .orElse("");
  }

  /** The URLs of the workers of that role that the server tells a coordinator. */
  List<String> listed(String coordinator, String role) {
    var url =
        "%s/v1alpha1/replicas?namespace=%s&coordinator=%s"
            .formatted(server, NAMESPACE, coordinator);
    var result = Command.run(CALL_LIMIT, List.of("curl", "--silent", "--noproxy", "*", url));
    try {
      var answer = JSON.readTree(result.output());
      if (!answer.path("success").asBoolean()) {
        throw new SandboxException("The server did not list them: " + result.output());
      }
      var urls = new ArrayList<String>();
      answer.path("data").path(role + "s").forEach(item -> urls.add(item.textValue()));
      return urls;
    } catch (JsonProcessingException e) {
      throw new SandboxException("The server did not list them: " + result.output(), e);
    }
  }
}
