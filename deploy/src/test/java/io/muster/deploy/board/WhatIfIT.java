package io.muster.deploy.board;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.muster.e2e.GangManifest;
import io.muster.e2e.MusterCommand;
import io.muster.sandbox.Await;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What-ifs beside a real control plane. */
@ExtendWith(SandboxExtension.class)
final class WhatIfIT {

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Set<String> READS = Set.of("get", "list", "watch");
  private static final String NAMESPACE = "muster-system";
  private static final String ACCOUNT = "muster-board";
  private static final String BINDING = "what-if-it";
  private static final int ASKED = 40;

  private final ObjectMapper mapper = new ObjectMapper();

  /** B8: whoever asks could write all there is, and writes nothing. */
  @Test
  void whatIfsAreAnsweredAsTheCommandDoesAndNothingIsWritten(Sandbox sandbox, TestSpace space)
      throws IOException, InterruptedException {
    space.nodes(2, NodeShape.GPU1);
    var gang = GangManifest.of(space, "holds", 2);
    gang.create();
    Await.until("the gang to run", SOON, () -> gang.running() == 2);
    var kubeconfig = kubeconfig(sandbox);
    long mark = sandbox.auditLog().mark();

    try (var board = BoardIT.Board.start(sandbox, space, kubeconfig);
        var client = HttpClient.newHttpClient()) {
      var cookie = cookie(client, board.address());
      var file = sandbox.state().file("what-if.yaml");
      for (var selector : new String[] {"", "pool: nowhere"}) {
        var text = manifest(space, selector);
        var request = mapper.createObjectNode().put("manifest", text).toString();
        Files.writeString(file, text);
        var ran = new MusterCommand(sandbox).run("fit", "-f", file.toString(), "-o", "json");
        var told = mapper.readTree(ran.said().substring(ran.said().indexOf('{')));
        Await.until(
            "the board to answer as the command: " + told,
            SOON,
            () -> {
              var answer = answer(client, board.address(), cookie, request);
              return answer.at("/starts").equals(told.at("/starts"))
                  && answer.at("/why").equals(told.at("/why"));
            });
      }
      for (int i = 0; i < ASKED; i++) {
        var answer =
            answer(
                client,
                board.address(),
                cookie,
                "{\"members\": %d, \"device\": \"nvidia.com/gpu\", \"moreNodes\": {\"count\": %d, \"like\": \"%s\"}}"
                    .formatted(1 + i % 5, i, gang.stored().getFirst().getSpec().getNodeName()));
        assertThat(answer.has("starts")).as("%s", answer).isTrue();
      }
    }

    assertThat(sandbox.auditLog().ofBoard(mark))
        .as("it reads, and nothing else")
        .isNotEmpty()
        .allMatch(request -> READS.contains(request.verb()));
    assertThat(gang.running()).isEqualTo(2);
    writeAsBoard(sandbox, space, kubeconfig);
    assertThat(sandbox.auditLog().ofBoard(mark))
        .as("a write would have been noted")
        .anyMatch(request -> request.verb().equals("create"));
  }

  private static String manifest(TestSpace space, String selector) {
    return """
    apiVersion: batch/v1
    kind: Job
    metadata: {name: new, namespace: %s}
    spec:
      parallelism: 2
      template:
        metadata:
          annotations: {muster.io/gang-name: new, muster.io/gang-min: "2"}
        spec:
          nodeSelector: {%s}
          containers:
          - name: main
            image: none
            resources: {limits: {nvidia.com/gpu: 1}}
    """
        .formatted(space.namespace(), selector);
  }

  private static void writeAsBoard(Sandbox sandbox, TestSpace space, Path kubeconfig) {
    sandbox.kubectl(
        "--kubeconfig=" + kubeconfig, "-n", space.namespace(), "create", "configmap", "written");
  }

  /** The sandbox is left to other tests. */
  @AfterEach
  void takeTheRightsAway(Sandbox sandbox) {
    sandbox.kubectl("delete", "clusterrolebinding", BINDING, "--ignore-not-found");
  }

  /** Of an account that may do everything. */
  private static Path kubeconfig(Sandbox sandbox) throws IOException {
    // Another test may have made it.
    sandbox
        .client()
        .resource(
            new ServiceAccountBuilder()
                .withNewMetadata()
                .withName(ACCOUNT)
                .withNamespace(NAMESPACE)
                .endMetadata()
                .build())
        .serverSideApply();
    sandbox.kubectl(
        "create",
        "clusterrolebinding",
        BINDING,
        "--clusterrole=cluster-admin",
        "--serviceaccount=%s:%s".formatted(NAMESPACE, ACCOUNT));
    var token = sandbox.kubectl("-n", NAMESPACE, "create", "token", ACCOUNT).strip();
    return Files.writeString(
        sandbox.state().file("what-if.kubeconfig"), sandbox.kubeconfig(sandbox.server(), token));
  }

  private static String cookie(HttpClient client, String address)
      throws IOException, InterruptedException {
    var opened =
        client.send(HttpRequest.newBuilder(URI.create(address)).build(), BodyHandlers.discarding());
    var cookie = opened.headers().firstValue("Set-Cookie").orElseThrow();
    return cookie.substring(0, cookie.indexOf(';'));
  }

  /** Of a board that has read the cluster, and is not busy. */
  private JsonNode answer(HttpClient client, String address, String cookie, String json) {
    try {
      for (long until = System.nanoTime() + SOON.toNanos(); ; ) {
        var response =
            client.send(
                HttpRequest.newBuilder(URI.create(address).resolve("/api/v1/fit"))
                    .header("Cookie", cookie)
                    .header("Content-Type", "application/json")
                    .POST(BodyPublishers.ofString(json))
                    .build(),
                BodyHandlers.ofString());
        if (response.statusCode() != 503 || System.nanoTime() - until > 0) {
          return mapper.readTree(response.body());
        }
        Thread.sleep(500);
      }
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
