package io.muster.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.muster.sandbox.Await;
import io.muster.sandbox.Layout;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Gangs in racks and blocks, on a real control plane; members are told where they are. */
@ExtendWith(SandboxExtension.class)
final class TopologyIT {

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String RACK = "example.com/rack";
  private static final String INDEX = "batch.kubernetes.io/job-completion-index";

  /** So many nodes in each of these racks. */
  static void racks(TestSpace space, int perRack, String... racks) {
    for (var rack : racks) {
      space.nodes(perRack, NodeShape.GPU1, Map.of(RACK, rack), List.of());
    }
  }

  private static List<Pod> running(TestSpace space, int count) {
    Await.until(
        count + " pods to run",
        SOON,
        () ->
            pods(space).stream().filter(pod -> "Running".equals(pod.getStatus().getPhase())).count()
                == count);
    return pods(space);
  }

  private static List<Pod> pods(TestSpace space) {
    return space.client().pods().inNamespace(space.namespace()).list().getItems();
  }

  private static int index(Pod pod) {
    return Integer.parseInt(pod.getMetadata().getAnnotations().get(INDEX));
  }

  private static Optional<String> annotation(Pod pod, String key) {
    return Optional.ofNullable(pod.getMetadata().getAnnotations().get("muster.io/" + key));
  }

  /** The value of that label on the pod's node. */
  static String domain(TestSpace space, Pod pod, String label) {
    return space
        .client()
        .nodes()
        .withName(pod.getSpec().getNodeName())
        .get()
        .getMetadata()
        .getLabels()
        .get(label);
  }

  private static Map<String, String> fields(Pod pod) {
    return pod.getSpec().getContainers().getFirst().getEnv().stream()
        .filter(env -> env.getName().startsWith("MUSTER_"))
        .collect(
            Collectors.toMap(
                EnvVar::getName, env -> env.getValueFrom().getFieldRef().getFieldPath()));
  }

  /** Each segment in one domain, whose name its members have. */
  static void isInSegments(TestSpace space, List<Pod> pods, int size, String label) {
    for (var pod : pods) {
      assertThat(annotation(pod, "segment")).contains(Integer.toString(index(pod) / size));
      assertThat(annotation(pod, "domain")).contains(domain(space, pod, label));
    }
    pods.stream()
        .collect(Collectors.groupingBy(pod -> index(pod) / size))
        .values()
        .forEach(segment -> assertThat(domains(space, segment, label)).hasSize(1));
  }

  private static Set<String> domains(TestSpace space, List<Pod> pods, String label) {
    return pods.stream()
        .map(pod -> domain(space, pod, label))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Job indexed(TestSpace space, int members) {
    var job =
        GangManifest.of(space, "train", members)
            .annotated("muster.io/gang-segments", RACK + "=4")
            .job();
    job.getSpec().setCompletionMode("Indexed");
    return job;
  }

  @Test
  void membersFindTheirSegmentAndTheirRackInTheirVariables(TestSpace space) {
    racks(space, 5, "r1", "r2");
    space.client().resource(indexed(space, 8)).create();

    var pods = running(space, 8);
    isInSegments(space, pods, 4, RACK);
    assertThat(pods)
        .allMatch(pod ->
            fields(pod)
                .equals(
                    Map.of(
                        "MUSTER_SEGMENT", "metadata.annotations['muster.io/segment']",
                        "MUSTER_DOMAIN", "metadata.annotations['muster.io/domain']")));
  }

  @Test
  void aReplacementIsToldTheSameAsTheLostMember(TestSpace space) {
    racks(space, 5, "r1", "r2");
    space.client().resource(indexed(space, 8)).create();
    var lost = running(space, 8).stream().filter(pod -> index(pod) == 5).findFirst().orElseThrow();

    space.client().resource(lost).withGracePeriod(0).delete();
    Await.until(
        "a replacement to run",
        SOON,
        () ->
            pods(space).stream()
                .anyMatch(pod ->
                    index(pod) == 5
                        && !pod.getMetadata().getUid().equals(lost.getMetadata().getUid())
                        && "Running".equals(pod.getStatus().getPhase())));
    isInSegments(space, running(space, 8), 4, RACK);
  }

  /** What a manifest claims of segments and domains is nobody's word. */
  @Test
  void whatAManifestClaimsIsWrittenOver(TestSpace space) {
    racks(space, 2, "r1");
    var gang =
        GangManifest.of(space, "train", 2)
            .annotated("muster.io/gang-topology-required", RACK)
            .annotated("muster.io/segment", "7")
            .annotated("muster.io/domain", "elsewhere");
    gang.create();

    assertThat(running(space, 2))
        .allMatch(pod -> annotation(pod, "segment").isEmpty())
        .allMatch(pod -> annotation(pod, "domain").equals(Optional.of("r1")))
        .allMatch(pod -> fields(pod).keySet().equals(Set.of("MUSTER_DOMAIN")));
  }

  @Test
  void aLevelThatNobodyKnowsIsSaid(TestSpace space) {
    racks(space, 2, "r1");
    GangManifest.of(space, "train", 2)
        .annotated(
            "gang.scheduling.koordinator.sh/network-topology-spec",
            "{\"gatherStrategy\":[{\"layer\":\"SpineLayer\",\"strategy\":\"MustGather\"}]}")
        .create();
    Await.until(
        "the gang to say which level",
        SOON,
        () ->
            GangManifest.why(space, "train")
                .contains("SpineLayer is neither a level of the cluster nor a label of any node"));
  }

  @Test
  void theExampleOfNvlinkHasItsSegmentsInOneCliqueEach(TestSpace space) throws IOException {
    var clique = "nvidia.com/gpu.clique";
    space.nodes(18, NodeShape.GPU4, Map.of(clique, "a.1"), List.of());
    space.nodes(18, NodeShape.GPU4, Map.of(clique, "b.1"), List.of());
    create(space, example(space, "nvl72-segments"));

    isInSegments(space, running(space, 32), 16, clique);
  }

  @Test
  void theExampleOfRacksKeepsANodeOfEachInReserve(TestSpace space) throws IOException {
    for (var rack : List.of("u1a", "u1b")) {
      space.nodes(5, NodeShape.GPU8, Map.of("example.com/unit", "u1", RACK, rack), List.of());
    }
    var objects = example(space, "rail-racks");
    try {
      create(space, objects);
      var pods = running(space, 8);
      isInSegments(space, pods, 4, RACK);
      assertThat(domains(space, pods, RACK)).containsExactly("u1a", "u1b");
    } finally {
      objects.stream()
          .filter(ConfigMap.class::isInstance)
          .forEach(it -> space.client().resource(it).delete());
    }
  }

  @Test
  void theExampleOfCloudBlocksIsInTheBlockThatHoldsIt(TestSpace space) throws IOException {
    var block = "cloud.google.com/gce-topology-block";
    var subblock = "cloud.google.com/gce-topology-subblock";
    space.nodes(3, NodeShape.GPU8, Map.of(block, "b2", subblock, "b2a"), List.of());
    space.nodes(2, NodeShape.GPU8, Map.of(block, "b1", subblock, "b1a"), List.of());
    space.nodes(2, NodeShape.GPU8, Map.of(block, "b1", subblock, "b1b"), List.of());
    create(space, example(space, "cloud-blocks"));

    var pods = running(space, 4);
    assertThat(domains(space, pods, block)).containsExactly("b1");
    assertThat(pods)
        .allMatch(
            pod -> annotation(pod, "domain").equals(Optional.of(domain(space, pod, subblock))));
  }

  private static void create(TestSpace space, List<HasMetadata> objects) {
    objects.forEach(it -> space.client().resource(it).serverSideApply());
  }

  /** In the namespace of the space, and for its nodes alone; the ConfigMap is Muster's. */
  private static List<HasMetadata> example(TestSpace space, String name) throws IOException {
    var file =
        Layout.current().deploy().getParent().resolve("examples/topology/%s.yaml".formatted(name));
    var moved =
        Files.readString(file)
            .replace("namespace: default", "namespace: " + space.namespace())
            .replaceAll("pool: .*", TestSpace.SET_LABEL + ": " + space.namespace());
    return space
        .client()
        .load(new ByteArrayInputStream(moved.getBytes(StandardCharsets.UTF_8)))
        .items();
  }
}
