package io.muster.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What the API server says Muster's account asked it to write: requests answered, whatever the
 * answer, and commands in containers. Other callers are not noted, nor reads unless they are asked
 * for, so that it costs them nothing. Safe for concurrent use.
 */
public final class AuditLog {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int NEVER_ROTATED_MB = 4096;

  private final Path policy;
  private final Path log;

  private AuditLog(Path policy, Path log) {
    this.policy = policy;
    this.log = log;
  }

  static AuditLog in(StateDirectory state) {
    return new AuditLog(state.file("audit-policy.yaml"), state.file("audit.log"));
  }

  /**
   * A request; to write, where reads are not noted.
   *
   * @param resource plural, with its subresource if there is one: {@code pods/binding}
   * @param name of the object; empty where the server makes it up
   */
  public record Write(String verb, String resource, String namespace, String name, int code) {}

  /** Everything noted since the first so many bytes of the log; an unfinished line is left out. */
  public List<Write> since(long mark) {
    var writes = new ArrayList<Write>();
    try (var lines = Files.newInputStream(log)) {
      lines.skipNBytes(mark);
      for (var line : new String(lines.readAllBytes(), StandardCharsets.UTF_8).split("\n", -1)) {
        if (line.endsWith("}")) {
          writes.add(write(JSON.readTree(line)));
        }
      }
    } catch (IOException e) {
      throw new SandboxException("The audit log " + log + " cannot be read.", e);
    }
    return writes;
  }

  /** Where the log ends now. */
  public long mark() {
    try {
      return Files.exists(log) ? Files.size(log) : 0;
    } catch (IOException e) {
      throw new SandboxException("The audit log " + log + " cannot be read.", e);
    }
  }

  List<String> flags(boolean withReads) {
    try {
      Files.writeString(
          policy,
          """
          apiVersion: audit.k8s.io/v1
          kind: Policy
          omitStages: [RequestReceived]
          rules:
          - level: Metadata
            users: ["system:serviceaccount:%1$s:muster"]
            resources: [{group: "", resources: [pods/exec]}]
          - level: Metadata
            users: ["system:serviceaccount:%1$s:muster"]
            verbs: [%2$screate, update, patch, delete, deletecollection]
          - level: None
          """
              .formatted(MusterInstallation.NAMESPACE, withReads ? "get, list, watch, " : ""));
    } catch (IOException e) {
      throw new SandboxException(policy + " cannot be written.", e);
    }
    return List.of(
        "--audit-policy-file=" + policy,
        "--audit-log-path=" + log,
        // Whoever has marked a place in it reads on in the same file.
        "--audit-log-maxsize=" + NEVER_ROTATED_MB);
  }

  private static Write write(JsonNode event) {
    var object = event.path("objectRef");
    var subresource = object.path("subresource").asText();
    return new Write(
        event.path("verb").asText(),
        object.path("resource").asText() + (subresource.isEmpty() ? "" : "/" + subresource),
        object.path("namespace").asText(),
        object.path("name").asText(),
        event.path("responseStatus").path("code").asInt());
  }
}
