package io.muster.fuzz;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.sandbox.Layout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Good documents, as users write them: examples, and the cases of other tests. Immutable. */
final class Corpus {

  private static final Path ROOT = Layout.current().deploy().getParent();

  private static final String RICH_POD =
      """
      apiVersion: v1
      kind: Pod
      metadata:
        name: w-0
        generation: 1
        labels: {app: a}
        annotations: {muster.io/gang-name: g, muster.io/gang-min: "2", muster.io/gang-total: "4",
          muster.io/gang-groups: '["ml/g"]', muster.io/gang-timeout: 10s, muster.io/run-time: 1h}
        ownerReferences: [{kind: Job, apiVersion: batch/v1, name: j, uid: o, controller: true}]
      spec:
        schedulerName: default-scheduler
        nodeSelector: {pool: a}
        priority: 7
        activeDeadlineSeconds: 100
        terminationGracePeriodSeconds: 30
        tolerations: [{key: k, operator: Exists, effect: NoSchedule, tolerationSeconds: 3}]
        schedulingGates: [{name: muster.io/gang}]
        overhead: {cpu: 1m}
        topologySpreadConstraints:
        - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, minDomains: 2,
           labelSelector: {matchLabels: {app: a}}}
        affinity:
          nodeAffinity:
            requiredDuringSchedulingIgnoredDuringExecution:
              nodeSelectorTerms:
              - matchExpressions: [{key: pool, operator: In, values: [a]}, {key: n, operator: Gt, values: ["1"]}]
                matchFields: [{key: metadata.name, operator: In, values: [n1]}]
          podAffinity:
            requiredDuringSchedulingIgnoredDuringExecution:
            - {topologyKey: zone, labelSelector: {matchLabels: {app: a}}, namespaces: [ml]}
          podAntiAffinity:
            requiredDuringSchedulingIgnoredDuringExecution:
            - {topologyKey: zone, labelSelector: {matchExpressions: [{key: app, operator: Exists}]}}
        volumes:
        - {name: v, persistentVolumeClaim: {claimName: c}}
        - {name: shm, emptyDir: {medium: Memory, sizeLimit: 1Gi}}
        initContainers: [{name: i, restartPolicy: Always, resources: {requests: {cpu: "1"}}}]
        containers:
        - name: c
          image: x
          env: [{name: A, value: b}, {name: P, valueFrom: {fieldRef: {fieldPath: status.podIP}}}]
          volumeMounts: [{name: v, mountPath: /data}]
          ports: [{containerPort: 80, hostPort: 80}]
          resources:
            limits: {nvidia.com/gpu: "1", memory: 1Gi}
            requests: {cpu: 100m, nvidia.com/gpu: "1"}
      status:
        phase: Pending
        nominatedNodeName: n1
        startTime: "2026-01-01T00:00:00Z"
        conditions: [{type: PodScheduled, status: "False", lastTransitionTime: "2026-01-01T00:00:00Z"}]
      """;

  private static final List<String> CLUSTER =
      List.of(
          """
          apiVersion: v1
          kind: Node
          metadata:
            name: n1
            creationTimestamp: "2026-01-01T00:00:00Z"
            labels: {pool: a, zone: z, kubernetes.io/hostname: n1, n: "2"}
          spec:
            unschedulable: false
            taints: [{key: any, effect: PreferNoSchedule, timeAdded: "2026-01-01T00:00:00Z"}]
          status:
            conditions: [{type: Ready, status: "True", lastTransitionTime: "2026-01-01T00:00:00Z"}]
            allocatable: {cpu: "64", memory: 1Ti, pods: "110", nvidia.com/gpu: "8", amd.com/gpu: "2"}
          """,
          """
          apiVersion: policy/v1
          kind: PodDisruptionBudget
          metadata: {name: b, namespace: ml}
          spec: {minAvailable: 2, maxUnavailable: 50%, selector: {matchLabels: {app: a}}}
          status: {disruptionsAllowed: 1, expectedPods: 3, currentHealthy: 3, desiredHealthy: 2,
            observedGeneration: 1, disruptedPods: {p: "2026-01-01T00:00:00Z"}}
          """,
          """
          apiVersion: v1
          kind: ResourceQuota
          metadata: {name: q, namespace: ml}
          spec: {hard: {requests.nvidia.com/gpu: "8", pods: "9"}, scopes: [],
            scopeSelector: {matchExpressions: []}}
          status: {hard: {requests.nvidia.com/gpu: "8"}, used: {requests.nvidia.com/gpu: "3"}}
          """,
          """
          apiVersion: muster.io/v1alpha1
          kind: Gang
          metadata: {name: g, namespace: ml, uid: ug, generation: 1}
          spec: {gangName: g, dialect: muster, minAvailable: 2}
          status: {phase: Running, since: "2026-01-01T00:00:00Z", incarnation: 1,
            members: [{name: w-0, uid: u0}, {name: w-1, uid: u1}]}
          """);

  private static final List<String> TERMS =
      List.of(
          """
          apiVersion: scheduling.x-k8s.io/v1alpha1
          kind: PodGroup
          metadata: {name: g, namespace: ml, annotations: {gang.scheduling.koordinator.sh/groups: '["ml/g"]'}}
          spec: {minMember: 2, scheduleTimeoutSeconds: 10, minTaskMember: {worker: 2},
            schedulingPolicy: {gang: {minCount: 2}}, replicas: 2, parallelism: 2, completions: 2}
          """,
          """
          apiVersion: jobset.x-k8s.io/v1alpha2
          kind: JobSet
          metadata: {name: g, namespace: ml}
          spec: {replicatedJobs: [{name: w, replicas: 2,
            template: {spec: {parallelism: 4, completions: 4}}}],
            podGroups: [{name: w, policy: {gang: {minCount: 2}}}]}
          """,
          """
          apiVersion: leaderworkerset.x-k8s.io/v1
          kind: LeaderWorkerSet
          metadata: {name: g, namespace: ml}
          spec: {replicas: 2, leaderWorkerTemplate: {size: 4},
            rolloutStrategy: {rollingUpdateConfiguration: {maxSurge: 25%, maxUnavailable: 1}},
            headGroupSpec: {template: {spec: {}}},
            workerGroupSpecs: [{replicas: 2, minReplicas: 1, maxReplicas: 3, numOfHosts: 2}],
            pytorchReplicaSpecs: {Master: {replicas: 1}, Worker: {replicas: 3}},
            mpiReplicaSpecs: {Launcher: {replicas: 1}, Worker: {replicas: 3}}}
          """);

  private Corpus() {}

  /** Pods of every ecosystem, each with a name, a namespace and a uid. */
  static List<JsonNode> pods() {
    var pods = new ArrayList<JsonNode>();
    pods.add(yaml(RICH_POD).getFirst());
    files("webhook/src/test/resources/injection", "pod.yaml").forEach(pods::add);
    files("examples", ".yaml").stream()
        .filter(object -> object.path("kind").asText().equals("Pod"))
        .forEach(pods::add);
    for (int i = 0; i < pods.size(); i++) {
      var metadata = ((ObjectNode) pods.get(i)).withObject("/metadata");
      metadata.put("namespace", "ml").put("uid", "u" + i);
      metadata.put("name", metadata.path("name").asText("p-" + i));
    }
    return List.copyOf(pods);
  }

  /** Objects of the nine kinds: examples, and what their rules forbid. */
  static List<JsonNode> kinds() {
    var all = new ArrayList<JsonNode>();
    files("examples", ".yaml").stream()
        .filter(object ->
            !object
                .path("apiVersion")
                .asText()
                .matches(
                    "v1|apps/v1|batch/v1|resource.k8s.io.*|scheduling.*|argoproj.*|.*fluxcd.*"))
        .forEach(all::add);
    for (var table : files("controller/src/test/resources", "faults.yml")) {
      for (var row : table.path("cases")) {
        ofRow(row, all);
      }
    }
    for (var object : all) {
      var metadata = ((ObjectNode) object).withObject("/metadata");
      metadata.put("namespace", "ml").put("uid", "job").put("generation", 1);
      metadata.put("creationTimestamp", "2026-01-01T00:00:00Z");
      metadata.put("name", metadata.path("name").asText("made"));
    }
    return List.copyOf(all);
  }

  private static void ofRow(JsonNode row, List<JsonNode> all) {
    var spec = row.path("spec");
    var like =
        all.stream()
            .filter(object -> object.path("kind").equals(row.path("kind")))
            .filter(object -> shares(object.path("spec"), spec))
            .findFirst();
    like.ifPresent(object -> {
      ObjectNode made = object.deepCopy();
      made.set("spec", spec.deepCopy());
      all.add(made);
    });
  }

  /** Two communities have a TrainingJob. */
  private static boolean shares(JsonNode one, JsonNode other) {
    return other.properties().stream().anyMatch(field -> one.has(field.getKey()));
  }

  /** What Muster watches besides pods and jobs. */
  static List<JsonNode> cluster() {
    return CLUSTER.stream().map(text -> yaml(text).getFirst()).toList();
  }

  /** Objects in which the terms of gangs stand, and owners that tell how many pods there are. */
  static List<JsonNode> terms() {
    return TERMS.stream().map(text -> yaml(text).getFirst()).toList();
  }

  /** The document of the queues' ConfigMap. */
  static JsonNode queues() {
    var text =
        files("examples/queues", ".yaml").getFirst().path("data").path("queues.yaml").asText();
    return yaml(text).getFirst();
  }

  /** Under its name, as the API server has it. */
  static JsonNode crd(String apiVersion, String kind) {
    return files("deploy/crds", ".yml").stream()
        .filter(crd -> crd.path("spec").path("names").path("kind").asText().equals(kind))
        .filter(crd -> apiVersion.startsWith(crd.path("spec").path("group").asText() + "/"))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no CRD of " + apiVersion + " " + kind));
  }

  private static List<JsonNode> files(String folder, String end) {
    try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
      return files
          .filter(file -> file.toString().endsWith(end))
          .sorted()
          .flatMap(file -> yaml(text(file)).stream())
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<JsonNode> yaml(String text) {
    return Arrays.stream(text.split("(?m)^---$"))
        .filter(
            document -> document.lines().anyMatch(line -> !line.isBlank() && !line.startsWith("#")))
        .map(document -> Serialization.unmarshal("---\n" + document, JsonNode.class))
        .toList();
  }
}
