package io.muster.deploy.view;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class FitCommandTest {

  private static final String POD =
      "spec: {containers: [{name: main, image: i, resources: {limits: {nvidia.com/gpu: 4}}}]}";

  @TempDir Path folder;

  private Views.Run fit(Views views, String manifest, String... more) throws IOException {
    var file = Files.writeString(folder.resolve("job.yaml"), manifest).toString();
    var arguments = new ArrayList<>(List.of("-f", file));
    arguments.addAll(List.of("--snapshot", views.in(folder), "-n", "train"));
    arguments.addAll(List.of(more));
    return Views.run(new FitCommand(), arguments.toArray(String[]::new));
  }

  private static String job(int parallelism) {
    return "{apiVersion: batch/v1, kind: Job, metadata: {name: new}, spec: {parallelism: %d, template: {metadata: {annotations: {muster.io/gang-name: new, muster.io/gang-min: \"2\"}}, %s}}}"
        .formatted(parallelism, POD);
  }

  @Test
  void whatHasRoomWouldStartNow() throws IOException {
    var run = fit(new Views().node("n", 8), job(2));

    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.out()).startsWith("would start now: there is room");
  }

  /** It would be asked for nothing, or for what nobody could create. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "gpu: 4 | gpu: four | Job/new spec.template: spec.containers[0].resources.limits[\"nvidia.com/gpu\"] is \"four\", which is no quantity",
        "gang-min: \"2\" | gang-min: 2 | Job/new spec.template: metadata.annotations[\"muster.io/gang-min\"] is 2, which is no string: put it in quotes",
        "parallelism: 2 | parallelism: \"2\" | Job/new: spec.parallelism is \"2\", which is no number: leave the quotes out",
        "parallelism: 2 | parallelism: -4 | Job/new: spec.parallelism is -4: it is a whole number from 0 to 2147483647",
        "parallelism: 2 | completions: -1 | Job/new: spec.completions is -1: it is a whole number",
        "parallelism: 2 | parallelism: 2.5 | Job/new: spec.parallelism is 2.5: it is a whole number",
        "parallelism: 2 | parallelism: 99999999999 | Job/new: spec.parallelism is 99999999999: it is a whole number"
      })
  void whatTheApiServerCannotReadIsNamed(String sound, String wrong, String why)
      throws IOException {
    var run = fit(new Views().node("n", 8), job(2).replace(sound, wrong));

    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err()).contains("job.yaml: " + why);
  }

  @Test
  void aNumberOfCopiesFurtherUpIsNamedToo() throws IOException {
    var set =
        "{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: new}, spec:"
            + " {replicatedJobs: [{name: w, replicas: -1, template: {spec: {template: {"
            + POD
            + "}}}}]}}";
    var run = fit(new Views().node("n", 8), set);

    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err())
        .contains("JobSet/new: spec.replicatedJobs[0].replicas is -1: it is a whole number from 0");
  }

  @Test
  void whatHasNoneWouldStartAfterAGang() throws IOException {
    var views = new Views().node("n", 8).runs("old", "n", 8);
    var run = fit(views, job(2));

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.out())
        .startsWith("would start once gang train/old (for 10m here) has ended; now: no room for 2");
    var json = new JsonMapper().readTree(fit(views, job(2), "-o", "json").out());
    assertThat(json.path("starts").asText()).isEqualTo("after-gangs");
    assertThat(json.at("/after/0").asText()).isEqualTo("train/old");
  }

  @Test
  void whatDoesNotFitOnEmptyNodesWouldNeverStart() throws IOException {
    var run = fit(new Views().node("n", 4), job(2));

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.out()).startsWith("would never start: not even on empty nodes: 0/1 nodes");
  }

  @Test
  void aGangThatItsManifestsDoNotFillNeverStarts() throws IOException {
    var run = fit(new Views().node("n", 8), job(1));

    assertThat(run.out())
        .isEqualTo("would never start: gang train/new needs 2 members, and there would be 1\n");
  }

  /** Each asks for pods of 4 GPUs; as many fit as there are. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "1 | {kind: Pod, metadata: {name: p}, POD}",
        "3 | {kind: Deployment, metadata: {name: d}, spec: {replicas: 3, template: {POD}}}",
        "2 | {kind: Job, metadata: {name: j}, spec: {parallelism: 4, completions: 2, template: {POD}}}",
        "6 | {kind: JobSet, metadata: {name: s}, spec: {replicatedJobs: [{replicas: 2, template: {spec: {parallelism: 3, template: {POD}}}}]}}",
        "3 | {kind: TrainingJob, metadata: {name: t}, spec: {etReplicaSpecs: {launcher: {template: {POD}}, worker: {replicas: 2, template: {POD}}}}}",
        "5 | {kind: ElasticJob, metadata: {name: e}, spec: {replicaSpecs: {ps: {replicas: 2, template: {POD}}, worker: {replicas: 3, template: {POD}}}}}",
        "4 | {kind: DIJob, metadata: {name: d}, spec: {tasks: [{replicas: 1, template: {POD}}, {replicas: 3, template: {POD}}]}}",
        "6 | {kind: LeaderWorkerSet, metadata: {name: l}, spec: {replicas: 2, leaderWorkerTemplate: {size: 3, workerTemplate: {POD}}}}",
        "8 | {kind: LeaderWorkerSet, metadata: {name: l}, spec: {replicas: 2, leaderWorkerTemplate: {leaderTemplate: {POD}, size: 4, workerTemplate: {POD}}}}",
        "1 | {kind: LeaderWorkerSet, metadata: {name: l}, spec: {leaderWorkerTemplate: {leaderTemplate: {POD}, workerTemplate: {POD}}}}",
        "7 | {kind: RayCluster, metadata: {name: r}, spec: {headGroupSpec: {template: {POD}}, workerGroupSpecs: [{replicas: 2, numOfHosts: 3, template: {POD}}]}}",
        "3 | {kind: RayJob, metadata: {name: r}, spec: {rayClusterSpec: {headGroupSpec: {template: {POD}}, workerGroupSpecs: [{replicas: 2, template: {POD}}]}}}",
        "2 | {kind: List, items: [{kind: Pod, metadata: {name: p}, POD}, {kind: Pod, metadata: {name: q}, POD}]}",
      })
  void everyKindAsksForItsPods(int pods, String manifest) throws IOException {
    var yaml = manifest.replace("POD", POD);

    assertThat(fit(new Views().node("n", 4 * pods), yaml).code()).isZero();
    assertThat(fit(new Views().node("n", 4 * pods - 1), yaml).code()).isEqualTo(1);
  }

  @Test
  void whatWouldBeRefusedIsSaidToBe() throws IOException {
    var run = fit(new Views().node("n", 8), job(2).replace("\"2\"", "\"two\""));

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.err()).contains("Job/new").contains("would be refused").contains("gang-min");
  }

  @Test
  void badInputIsWrongUse() throws IOException {
    var views = new Views().node("n", 8);

    assertThat(fit(views, "kind: [").code()).isEqualTo(2);
    assertThat(fit(views, "{kind: ConfigMap, metadata: {name: m}}").err())
        .contains("no pod and no template");
    assertThat(fit(views, job(2_000_000_000)).err()).contains("pods, more than 20000");
    var many =
        "{kind: RayCluster, spec: {workerGroupSpecs: [{replicas: 2147483647, numOfHosts: 2147483647, template: {%s}}]}}"
            .formatted(POD);
    assertThat(fit(views, many).err()).contains("pods, more than 20000");
  }

  @Test
  void whatIsNoSnapshotIsNamed() throws IOException {
    var manifest = Files.writeString(folder.resolve("job.yaml"), job(2)).toString();
    var file = Files.writeString(folder.resolve("x.json"), "{}").toString();

    var run = Views.run(new FitCommand(), "-f", manifest, "--snapshot", file);

    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err()).contains("x.json is no snapshot of muster");
  }
}
