package io.muster.sandbox;

import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * How KWOK is started. Where pods play scripts it also has the stages of the kit, serves the port
 * that the nodes announce as their kubelet's, and learns from objects how a pod's container is
 * reached. Immutable.
 */
final class Kwok {

  private static final Duration CRD_LIMIT = Duration.ofSeconds(20);

  private static final String NEXT = "  next:\n";

  /** As long as a machine takes that has the image, drawn evenly between the two. */
  private static final String START_DELAY =
      "  delay:\n    durationMilliseconds: 1500\n    jitterDurationMilliseconds: 4000\n";

  private final Layout layout;
  private final SandboxOptions options;

  Kwok(Layout layout, SandboxOptions options) {
    this.layout = layout;
    this.options = options;
  }

  /** Makes the kinds known that KWOK watches; needed before it starts. */
  void install(KubernetesClient client) {
    try (InputStream file = Files.newInputStream(layout.kit().resolve("crds.yaml"))) {
      client.load(file).serverSideApply();
    } catch (IOException e) {
      throw new SandboxException("deploy/sandbox/kit/crds.yaml cannot be read.", e);
    }
    Await.until(
        "the kinds of the kit to be served",
        CRD_LIMIT,
        () ->
            client.apiextensions().v1().customResourceDefinitions().list().getItems().stream()
                .filter(crd -> crd.getSpec().getGroup().equals("kwok.x-k8s.io"))
                .allMatch(crd ->
                    crd.getStatus() != null
                        && crd.getStatus().getConditions() != null
                        && crd.getStatus().getConditions().stream()
                            .anyMatch(condition ->
                                condition.getType().equals("Established")
                                    && Objects.equals(condition.getStatus(), "True"))));
  }

  /** What comes before the program: it finds no program of the machine, only the kit's own sh. */
  List<String> environment() {
    return options.scripted()
        ? List.of("/usr/bin/env", "PATH=" + layout.kit().resolve("kwok"))
        : List.of();
  }

  List<String> flags() {
    var configuration = options.state().file("kwok.yaml");
    try {
      Files.writeString(configuration, configuration());
    } catch (IOException e) {
      throw new SandboxException(configuration + " cannot be written.", e);
    }
    var flags =
        new ArrayList<>(
            List.of(
                "--config=" + configuration,
                "--kubeconfig=" + options.state().kubeconfig(),
                "--manage-all-nodes=" + options.egressProxy().isEmpty(),
                "--node-lease-duration-seconds=0"));
    if (options.egressProxy().isPresent()) {
      flags.add("--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake");
    }
    addStages(flags, layout.sandbox().resolve("stages"));
    if (options.scripted()) {
      addStages(flags, layout.kit().resolve("stages"));
    }
    return flags;
  }

  /** The same stage, but that it takes its time. */
  private Path slowed(Path stage) {
    var slow = options.state().file("slow-" + stage.getFileName());
    try {
      var text = Files.readString(stage);
      if (!text.contains(NEXT)) {
        throw new SandboxException(stage + " has nothing that comes next.");
      }
      Files.writeString(slow, text.replace(NEXT, START_DELAY + NEXT));
    } catch (IOException e) {
      throw new SandboxException(slow + " cannot be made of " + stage + ".", e);
    }
    return slow;
  }

  private String configuration() {
    var text =
        """
        apiVersion: config.kwok.x-k8s.io/v1alpha1
        kind: KwokConfiguration
        options:
          # Without it a configuration file leaves pods without an IP.
          cidr: 10.128.0.0/9
          nodeIP: 127.0.0.1
          podPlayStageParallelism: 16
          nodePlayStageParallelism: 16
          podsOnNodeSyncParallelism: 4
        """;
    if (!options.scripted()) {
      return text;
    }
    int port = Ports.free();
    Path certificates = options.state().file("apiserver");
    return text
        + """
          nodePort: %d
          serverAddress: 127.0.0.1:%d
          tlsCertFile: %s
          tlsPrivateKeyFile: %s
          enableDebuggingHandlers: true
          enableCRDs: [Exec, ClusterExec, Logs]
        """
            .formatted(
                port,
                port,
                certificates.resolve("apiserver.crt"),
                certificates.resolve("apiserver.key"));
  }

  private void addStages(List<String> flags, Path folder) {
    try (var stages = Files.list(folder)) {
      stages
          .sorted()
          .map(stage ->
              options.slowStarts() && stage.endsWith("pod-ready.yaml") ? slowed(stage) : stage)
          .forEach(stage -> flags.add("--config=" + stage));
    } catch (IOException e) {
      throw new SandboxException(folder + " cannot be read.", e);
    }
  }
}
