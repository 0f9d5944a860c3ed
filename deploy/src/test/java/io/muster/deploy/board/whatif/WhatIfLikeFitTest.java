package io.muster.deploy.board.whatif;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.muster.deploy.board.access.Access;
import io.muster.deploy.config.Config;
import io.muster.deploy.view.FitCommand;
import io.muster.deploy.view.Fitting;
import io.muster.extender.kube.snapshot.SnapshotFile;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The board's answer beside that of {@code muster fit} on the same snapshot. */
final class WhatIfLikeFitTest {

  private static final int CLUSTERS = 200;

  @TempDir Path folder;

  private final JsonMapper mapper = JsonMapper.builder().build();
  private final WhatIf whatIf =
      new WhatIf(new Fitting(Config.load(Optional.empty(), Map.of())), Duration.ofMinutes(1));

  private record Run(int code, String out, String err) {}

  private Run fit(String manifest, String namespace, String format) throws IOException {
    var file = Files.writeString(folder.resolve("job.yaml"), manifest);
    var out = new StringWriter();
    var err = new StringWriter();
    int code =
        new CommandLine(new FitCommand())
            .setOut(new PrintWriter(out, true))
            .setErr(new PrintWriter(err, true))
            .execute(
                "-f",
                file.toString(),
                "-n",
                namespace,
                "--snapshot",
                folder.resolve("snapshot.json").toString(),
                "-o",
                format);
    return new Run(code, out.toString(), err.toString());
  }

  private JsonNode asked(RandomCluster cluster, Map<String, Object> request)
      throws IOException, InterruptedException {
    var json = mapper.writeValueAsString(request).getBytes(StandardCharsets.UTF_8);
    var reply = whatIf.reply("ada", cluster.view(), Access.ALL, _ -> Optional.empty(), json);
    return mapper.valueToTree(reply.document());
  }

  private void snapshot(RandomCluster cluster) throws IOException {
    try (var out = Files.newOutputStream(folder.resolve("snapshot.json"))) {
      SnapshotFile.write(cluster.view(), out);
    }
  }

  /** B8. */
  @Test
  void everyAnswerIsThatOfTheCommand() throws IOException, InterruptedException {
    var words = new TreeMap<String, Integer>();
    for (long seed = 1; seed <= CLUSTERS; seed++) {
      var cluster = RandomCluster.of(seed);
      var manifest = cluster.manifest();
      var namespace = cluster.namespace();
      snapshot(cluster);

      var answer = asked(cluster, Map.of("manifest", manifest, "namespace", namespace));
      var told = fit(manifest, namespace, "json");

      if (told.out().isEmpty()) {
        assertThat(told.err())
            .as("seed %d", seed)
            .isEqualTo("muster: " + answer.at("/message").asText() + "\n");
        words.merge("refused", 1, Integer::sum);
        continue;
      }
      var document = mapper.readTree(told.out());
      assertThat(answer.at("/starts")).as("seed %d", seed).isEqualTo(document.at("/starts"));
      assertThat(answer.at("/why")).as("seed %d", seed).isEqualTo(document.at("/why"));
      assertThat(
              answer
                  .path("after")
                  .valueStream()
                  .map(gang -> gang.at("/namespace").asText() + "/" + gang.at("/name").asText()))
          .as("seed %d", seed)
          .containsExactlyElementsOf(
              document.path("after").valueStream().map(JsonNode::asText).toList());
      assertThat(fit(manifest, namespace, "text").out())
          .as("seed %d", seed)
          .isEqualTo(answer.at("/sentence").asText() + "\n");
      words.merge(answer.at("/starts").asText(), 1, Integer::sum);
    }
    System.out.println("what-if: " + words);
    assertThat(words.keySet())
        .as("all kinds of answers have come")
        .contains("now", "after-gangs", "after-other-pods", "after-queue", "never");
  }

  /** A form asks what a manifest asks that somebody might have written. */
  @Test
  void aFormIsAnsweredAsTheManifestThatSaysTheSame() throws IOException, InterruptedException {
    for (long seed = 1; seed <= CLUSTERS / 4; seed++) {
      var cluster = RandomCluster.of(seed);
      snapshot(cluster);
      int members = 1 + (int) (seed % 5);
      var manifest =
          """
          apiVersion: batch/v1
          kind: Job
          metadata: {name: what-if, namespace: train}
          spec:
            parallelism: %1$d
            completions: %1$d
            template:
              metadata:
                annotations: {muster.io/gang-name: what-if, muster.io/gang-min: "%1$d"}
              spec:
                nodeSelector: {pool: odd}
                tolerations: [{key: nvidia.com/gpu, operator: Exists}]
                containers:
                - name: main
                  image: mine
                  resources: {limits: {nvidia.com/gpu: 2, cpu: 500m, memory: 1Gi}}
          """
              .formatted(members);

      var answer =
          asked(
              cluster,
              Map.of(
                  "members", members,
                  "device", "nvidia.com/gpu",
                  "devicesEach", 2,
                  "cpu", "500m",
                  "memory", "1Gi",
                  "namespace", "train",
                  "nodeSelector", Map.of("pool", "odd")));

      assertThat(answer.at("/sentence").asText() + "\n")
          .as("seed %d", seed)
          .isEqualTo(fit(manifest, "train", "text").out());
    }
  }

  /** Places are none that is too small, and there are as many as members. */
  @Test
  void placesAreOnNodesThatHaveTheRoom() throws IOException, InterruptedException {
    int shown = 0;
    for (long seed = 1; seed <= CLUSTERS; seed++) {
      var cluster = RandomCluster.of(seed);
      var request =
          Map.<String, Object>of("members", 2, "device", "nvidia.com/gpu", "devicesEach", 1);
      var answer = asked(cluster, request);
      if (!answer.at("/starts").asText().equals("now")) {
        assertThat(answer.has("places")).isFalse();
        continue;
      }
      shown++;
      int members = 0;
      for (var place : answer.path("places")) {
        var name = place.get(0).asText();
        members += place.get(1).asInt();
        var node =
            cluster.view().nodes().stream().filter(one -> one.name().equals(name)).findFirst();
        long used =
            cluster.view().pods().stream()
                .filter(pod -> pod.progress().nodeName().equals(Optional.of(name)))
                .mapToLong(pod -> pod.demand().requests().devices())
                .sum();
        assertThat(node.orElseThrow().allocatable().devices() - used)
            .as("seed %d, %s", seed, name)
            .isGreaterThanOrEqualTo(place.get(1).asInt());
      }
      assertThat(members).as("seed %d", seed).isEqualTo(2);
    }
    assertThat(shown).isGreaterThan(20);
  }
}
