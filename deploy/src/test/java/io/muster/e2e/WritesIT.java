package io.muster.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.sandbox.AuditLog.Write;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What Muster costs the API server: its writes, counted by the audit log, and its answers. */
@ExtendWith(SandboxExtension.class)
final class WritesIT {

  private static final Duration SOON = Duration.ofSeconds(30);

  /** Longer than any report of a state is put off. */
  private static final Duration AFTERWARDS = Duration.ofSeconds(4);

  private static final Set<String> READS = Set.of("get", "list", "watch");
  private static final int MEMBERS = 16;
  private static final int WRITES_PER_GANG = 4;

  /** Characters from which the HTTP server compresses where it may. */
  private static final int COMPRESSED_FROM = 1500;

  @Test
  void aGangThatGoesAtOnceCostsAReleaseAndABindingAMemberAndFourWritesMore(
      Sandbox sandbox, TestSpace space) {
    space.nodes(2, NodeShape.GPU8);
    long mark = sandbox.auditLog().mark();
    var gang = GangManifest.of(space, "train", MEMBERS);
    gang.create();
    Await.until("the gang to run", SOON, () -> gang.running() == MEMBERS);

    // Whatever Muster still has to say about it, it says now.
    assertThat(
            Await.within(
                AFTERWARDS,
                () -> written(sandbox, space, mark).size() > 2 * MEMBERS + WRITES_PER_GANG))
        .as("more writes than allowed: %s", written(sandbox, space, mark))
        .isFalse();
    var writes = written(sandbox, space, mark);
    assertThat(writes.stream().filter(write -> write.resource().equals("pods/binding")))
        .hasSize(MEMBERS)
        .allMatch(write -> write.verb().equals("create") && write.code() == 201);
    assertThat(writes.stream().filter(write -> write.resource().equals("pods")))
        .as("one patch a member takes its gate off")
        .hasSize(MEMBERS)
        .allMatch(write -> write.verb().equals("patch") && write.code() == 200);
    assertThat(writes.stream().filter(write -> !write.resource().startsWith("pods")))
        .isNotEmpty()
        .allMatch(write -> write.resource().startsWith("gangs"));
  }

  /** The API server and kube-scheduler would take them compressed, and spend time on it. */
  @Test
  void whoWouldTakeAnAnswerCompressedGetsItAsItIs(Sandbox sandbox)
      throws IOException, InterruptedException {
    try (var client = HttpClient.newHttpClient()) {
      var answer =
          client.send(
              HttpRequest.newBuilder(
                      URI.create(sandbox.muster().orElseThrow().healthUrl() + "/metrics"))
                  .timeout(SOON)
                  .header("Accept-Encoding", "gzip")
                  .build(),
              BodyHandlers.ofString());

      assertThat(answer.headers().firstValue("Content-Encoding")).isEmpty();
      assertThat(answer.body()).hasSizeGreaterThan(COMPRESSED_FROM).contains("muster_");
    }
  }

  private static List<Write> written(Sandbox sandbox, TestSpace space, long mark) {
    return sandbox.auditLog().since(mark).stream()
        .filter(write -> write.namespace().equals(space.namespace()))
        .filter(write -> !READS.contains(write.verb()))
        .toList();
  }
}
