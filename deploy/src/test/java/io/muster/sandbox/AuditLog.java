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
 * What the API server says Muster's accounts asked it to write: requests answered, whatever the
 * answer, and commands in containers. Other callers are not noted, nor reads unless they are asked
 * for, so that it costs them nothing. Safe for concurrent use.
 */
public final class AuditLog {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String POD_OF_TOKEN = "authentication.kubernetes.io/pod-name";
  private static final int NEVER_ROTATED_MB = 4096;

  /** Accounts whose requests are noted, in Muster's namespace. */
  private static final String MUSTER = "muster";

  private static final String BOARD = "muster-board";

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

  /**
   * A request as the API server asked about it before it answered.
   *
   * @param resource as in {@link Write}
   * @param name also of a list or a watch of that one object; empty where there is none
   * @param pod for which the account's token was made; empty if for none
   * @param isForbidden whether the account has no right to it
   */
  public record Request(
      String verb,
      String group,
      String resource,
      String namespace,
      String name,
      String pod,
      boolean isForbidden) {}

  /** Everything noted since the first so many bytes of the log; an unfinished line is left out. */
  public List<Write> since(long mark) {
    return of(MUSTER, mark);
  }

  /** The same of the account that the board has for itself. */
  public List<Write> ofBoard(long mark) {
    return of(BOARD, mark);
  }

  private List<Write> of(String account, long mark) {
    return events(mark).stream()
        .filter(event -> event.path("user").path("username").asText().equals(user(account)))
        .map(AuditLog::write)
        .toList();
  }

  private static String user(String account) {
    return "system:serviceaccount:%s:%s".formatted(MusterInstallation.NAMESPACE, account);
  }

  /** The same as what rights are asked for; without what is about no resource. */
  public List<Request> requests(long mark) {
    return events(mark).stream()
        .filter(event -> event.path("user").path("username").asText().equals(user(MUSTER)))
        .filter(event -> event.has("objectRef"))
        .map(AuditLog::request)
        .toList();
  }

  private List<JsonNode> events(long mark) {
    var events = new ArrayList<JsonNode>();
    try (var lines = Files.newInputStream(log)) {
      lines.skipNBytes(mark);
      for (var line : new String(lines.readAllBytes(), StandardCharsets.UTF_8).split("\n", -1)) {
        if (line.endsWith("}")) {
          events.add(JSON.readTree(line));
        }
      }
    } catch (IOException e) {
      throw new SandboxException("The audit log " + log + " cannot be read.", e);
    }
    return events;
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
            users: ["%1$s"]
            resources: [{group: "", resources: [pods/exec]}]
          - level: Metadata
            users: ["%1$s", "%3$s"]
            verbs: [%2$screate, update, patch, delete, deletecollection]
          - level: None
          """
              .formatted(user(MUSTER), withReads ? "get, list, watch, " : "", user(BOARD)));
    } catch (IOException e) {
      throw new SandboxException(policy + " cannot be written.", e);
    }
    return List.of(
        "--audit-policy-file=" + policy,
        "--audit-log-path=" + log,
        // Whoever has marked a place in it reads on in the same file.
        "--audit-log-maxsize=" + NEVER_ROTATED_MB);
  }

  private static String resource(JsonNode object) {
    var subresource = object.path("subresource").asText();
    return object.path("resource").asText() + (subresource.isEmpty() ? "" : "/" + subresource);
  }

  private static Request request(JsonNode event) {
    var object = event.path("objectRef");
    return new Request(
        event.path("verb").asText(),
        object.path("apiGroup").asText(),
        resource(object),
        object.path("namespace").asText(),
        object.path("name").asText(),
        event.path("user").path("extra").path(POD_OF_TOKEN).path(0).asText(),
        event.path("annotations").path("authorization.k8s.io/decision").asText().equals("forbid"));
  }

  private static Write write(JsonNode event) {
    var object = event.path("objectRef");
    return new Write(
        event.path("verb").asText(),
        resource(object),
        object.path("namespace").asText(),
        object.path("name").asText(),
        event.path("responseStatus").path("code").asInt());
  }
}
