package io.muster.kit;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;

/** What fake pods are said to have printed, for kubectl logs. Safe for concurrent use. */
public final class PodLogs {

  private final Sandbox sandbox;

  public PodLogs(Sandbox sandbox) {
    this.sandbox = sandbox;
  }

  /** Adds lines to the log of a pod that exists; they go with it. */
  public void print(Pod pod, List<String> lines) {
    Path file = sandbox.state().file("pod-logs").resolve(pod.getMetadata().getUid() + ".log");
    var text =
        lines.stream()
            .map(line -> "%s stdout F %s\n".formatted(Instant.now(), line))
            .collect(Collectors.joining());
    try {
      Files.createDirectories(file.getParent());
      Files.writeString(file, text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    } catch (IOException e) {
      throw new SandboxException(file + " cannot be written.", e);
    }
    KwokObjects.serveLog(sandbox.client(), pod, file);
  }
}
