package io.muster.extender.kube.convert;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.muster.extender.core.cluster.Node;
import io.muster.extender.core.cluster.NodeTerm;
import io.muster.extender.core.cluster.NodeTerm.Operator;
import io.muster.extender.core.cluster.NodeTerm.Requirement;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.PodKey;
import io.muster.extender.core.cluster.Resources;
import io.muster.extender.core.cluster.Taint;
import io.muster.extender.core.cluster.Toleration;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Markings.NativeGroup;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.dialect.DialectDetector;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PodConverterTest {

  private final PodConverter translation = new PodConverter(new DialectDetector());

  @Test
  void readsANode() {
    assertThat(
            node(
                """
                metadata: {name: n1, labels: {zone: a}}
                spec:
                  taints:
                  - {key: nvidia.com/gpu, value: present, effect: NoSchedule}
                  - {key: soft, effect: PreferNoSchedule}
                  - {key: gone, effect: NoExecute}
                  - {key: later, effect: SomethingNew}
                status:
                  conditions: [{type: Ready, status: "True"}]
                  allocatable: {cpu: 3920m, memory: 1Gi, nvidia.com/gpu: 8, pods: 110}
                """))
        .isEqualTo(
            new Node(
                "n1",
                Map.of("zone", "a"),
                List.of(
                    new Taint("nvidia.com/gpu", "present", Taint.Effect.NO_SCHEDULE),
                    new Taint("soft", "", Taint.Effect.PREFER_NO_SCHEDULE),
                    new Taint("gone", "", Taint.Effect.NO_EXECUTE)),
                Node.Availability.READY,
                new Resources(3920, 1L << 30, Map.of("nvidia.com/gpu", 8L)),
                110));
  }

  @ParameterizedTest
  @CsvSource({
    "'\"True\"', false, READY",
    "'\"True\"', true, CORDONED",
    "'\"False\"', false, NOT_READY",
    "'\"Unknown\"', true, NOT_READY"
  })
  void aNodeIsAvailableWhenItIsReadyAndNotCordoned(
      String ready, boolean cordoned, Node.Availability expected) {
    var node =
        node(
            "{spec: {unschedulable: %s}, status: {conditions: [{type: Ready, status: %s}]}}"
                .formatted(cordoned, ready));
    assertThat(node.availability()).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "'{key: ToBeDeletedByClusterAutoscaler, value: \"1\", effect: NoSchedule}', LEAVING",
    "'{key: karpenter.sh/disrupted, effect: NoSchedule}', LEAVING",
    "'{key: aws-node-termination-handler/scheduled-maintenance, effect: NoSchedule}', LEAVING",
    "'{key: node.kubernetes.io/unschedulable, effect: NoSchedule}', CORDONED",
    "'{key: DeletionCandidateOfClusterAutoscaler, effect: PreferNoSchedule}', READY",
  })
  void aNodeThatIsDrainedIsNotAvailable(String taint, Node.Availability expected) {
    var node =
        node(
            "{spec: {taints: [%s]}, status: {conditions: [{type: Ready, status: \"True\"}]}}"
                .formatted(taint));
    assertThat(node.availability()).isEqualTo(expected);
  }

  @Test
  void aNodeThatIsBeingDeletedIsLeaving() {
    var node =
        node(
            "{metadata: {name: n, deletionTimestamp: \"2026-01-01T00:00:00Z\"},"
                + " status: {conditions: [{type: Ready, status: \"True\"}]}}");
    assertThat(node.availability()).isEqualTo(Node.Availability.LEAVING);
  }

  @Test
  void whatANodeOffersCountsAndNotWhatItsLabelsSay() {
    var node =
        node(
            """
            metadata:
              labels:
                nvidia.com/gpu.count: "8"
                nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3-MIG-1g.10gb
                nvidia.com/mig.strategy: single
            status: {allocatable: {nvidia.com/gpu: 7, nvidia.com/mig-1g.10gb: 2}}
            """);
    assertThat(node.allocatable().extended())
        .containsOnly(Map.entry("nvidia.com/gpu", 7L), Map.entry("nvidia.com/mig-1g.10gb", 2L));
  }

  @Test
  void anEmptyNodeOffersNothing() {
    assertThat(node("{}"))
        .isEqualTo(
            new Node("", Map.of(), List.of(), Node.Availability.NOT_READY, Resources.NONE, 0));
  }

  @Test
  void podsOfOneTemplateShareOneDemand() {
    var spec = "spec: {containers: [{name: a, resources: {limits: {nvidia.com/gpu: 1}}}]}";
    assertThat(pod(spec).demand()).isSameAs(pod(spec).demand());
  }

  @Test
  void readsWhereAPodMayGo() {
    var demand =
        pod("""
        spec:
          nodeSelector: {zone: a}
          tolerations:
          - {operator: Exists}
          - {key: k, value: v, effect: NoSchedule}
          - {key: number, operator: Gt, value: "5"}
          - {key: later, effect: SomethingNew}
          - {key: e, operator: Exists, effect: NoExecute, tolerationSeconds: 300}
          affinity:
            nodeAffinity:
              requiredDuringSchedulingIgnoredDuringExecution:
                nodeSelectorTerms:
                - matchExpressions:
                  - {key: a, operator: In, values: [x, y]}
                  - {key: b, operator: NotIn, values: [x]}
                  - {key: c, operator: Exists}
                  - {key: d, operator: DoesNotExist}
                  - {key: e, operator: Gt, values: ["1"]}
                  - {key: f, operator: Lt, values: ["2"]}
                - matchFields: [{key: metadata.name, operator: In, values: [n1]}]
        """)
            .demand();

    assertThat(demand.nodeSelector()).isEqualTo(Map.of("zone", "a"));
    assertThat(demand.tolerations())
        .containsExactly(
            new Toleration("", true, "", Optional.empty()),
            new Toleration("k", false, "v", Optional.of(Taint.Effect.NO_SCHEDULE)),
            new Toleration("e", true, "", Optional.of(Taint.Effect.NO_EXECUTE), true));
    assertThat(demand.anyOfTerms())
        .containsExactly(
            new NodeTerm(
                List.of(
                    new Requirement("a", Operator.IN, Set.of("x", "y")),
                    new Requirement("b", Operator.NOT_IN, Set.of("x")),
                    new Requirement("c", Operator.EXISTS, Set.of()),
                    new Requirement("d", Operator.DOES_NOT_EXIST, Set.of()),
                    new Requirement("e", Operator.GREATER_THAN, Set.of("1")),
                    new Requirement("f", Operator.LESS_THAN, Set.of("2"))),
                List.of()),
            new NodeTerm(
                List.of(), List.of(new Requirement("metadata.name", Operator.IN, Set.of("n1")))));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[]",
        "[{}]",
        "[{matchExpressions: [{key: zone, operator: SomethingNew, values: [a]}]}]"
      })
  void aRequirementThatCannotHoldMatchesNoNode(String terms) {
    var pod =
        pod(
            "{spec: {affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution:"
                + " {nodeSelectorTerms: "
                + terms
                + "}}}}}");
    var node = node("{metadata: {name: n1, labels: {zone: a}}}");

    assertThat(pod.demand().anyOfTerms()).isNotEmpty().noneMatch(term -> term.matches(node));
  }

  @Test
  void readsAMember() {
    var pod =
        pod(
            """
            metadata:
              namespace: ml
              name: job-0-x
              uid: u1
              creationTimestamp: "2026-02-03T04:05:06Z"
              deletionTimestamp: "2026-02-03T04:06:06Z"
              labels: {batch.kubernetes.io/job-completion-index: "3"}
              annotations:
                gang.scheduling.koordinator.sh/name: a
                gang.scheduling.koordinator.sh/min-available: "4"
                muster.io/gang-incarnation: i-7
                muster.io/controlled: "true"
              ownerReferences:
              - {kind: Other, uid: o1}
              - {kind: Job, uid: j1, controller: true}
            spec:
              nodeName: n1
              schedulerName: mine
              priority: 1000
              schedulingGates: [{name: muster.io/gang}, {name: quota}]
            status: {phase: Running, nominatedNodeName: n2}
            """);

    assertThat(pod.key()).isEqualTo(new PodKey("ml", "job-0-x", "u1"));
    assertThat(pod.progress())
        .isEqualTo(
            new Pod.Progress(
                    Pod.Phase.RUNNING,
                    Optional.of("n1"),
                    Optional.of("n2"),
                    true,
                    Set.of("muster.io/gang", "quota"))
                .endingBy(Instant.parse("2026-02-03T04:06:06Z")));
    assertThat(pod.origin())
        .isEqualTo(
            new Pod.Origin(
                Instant.parse("2026-02-03T04:05:06Z"),
                "mine",
                Optional.of("j1"),
                false,
                Pod.Grouping.NONE,
                false,
                Optional.of("i-7"),
                true,
                new Pod.Pinning(true, true, Optional.empty()),
                1000,
                pod.origin().labels()));
    assertThat(pod.membership().map(Membership::gang))
        .contains(new GangId(Dialect.KOORDINATOR, "ml", "a"));
    assertThat(pod.rank()).isEqualTo(3);
  }

  /** It is stored with the gang, and what cannot be stored would void a run-time limit. */
  @Test
  void theUidOfAnOwnerIsShortHoweverLongSomebodyHasWrittenIt() {
    assertThat(controller("9d5ddd3e-f05b-46fd-a5a5-2a9b6b0a5a0e"))
        .isEqualTo("9d5ddd3e-f05b-46fd-a5a5-2a9b6b0a5a0e");
    var one = controller("a".repeat(500_000));
    assertThat(one).hasSize(36).isEqualTo(controller("a".repeat(500_000)));
    assertThat(controller("a".repeat(500_001))).hasSize(36).isNotEqualTo(one);
  }

  private String controller(String uid) {
    return pod("{metadata: {ownerReferences: [{controller: true, uid: %s}]}}".formatted(uid))
        .origin()
        .controllerUid()
        .orElseThrow();
  }

  @Test
  void aPodThatSaysNothingIsPendingAndNobodys() {
    var pod = pod("{}");

    assertThat(pod.key()).isEqualTo(new PodKey("", "", ""));
    assertThat(pod.progress().phase()).isEqualTo(Pod.Phase.PENDING);
    assertThat(pod.isBound()).isFalse();
    assertThat(pod.origin().schedulerName()).isEqualTo("default-scheduler");
    assertThat(pod.origin().createdAt()).isEqualTo(Instant.EPOCH);
    assertThat(pod.membership()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "Pending, PENDING",
    "Running, RUNNING",
    "Succeeded, SUCCEEDED",
    "Failed, FAILED",
    "Unknown, RUNNING"
  })
  void anUnknownPhaseIsTakenForRunning(String phase, Pod.Phase expected) {
    assertThat(pod("{status: {phase: " + phase + "}}").progress().phase()).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "'volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]', true",
    "'volumes: [{name: v, ephemeral: {volumeClaimTemplate: {}}}]', true",
    "'resourceClaims: [{name: gpus, resourceClaimName: c}]', true",
    "'volumes: [{name: v, emptyDir: {}}]', false"
  })
  void claimsAreVolumesAndDevices(String spec, boolean expected) {
    assertThat(pod("{spec: {" + spec + "}}").origin().mountsClaims()).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "'schedulingGroup: {podGroupName: g}', true",
    "'workloadRef: {name: w, podGroup: p}', true",
    "'workloadRef: null', false",
    "'hostNetwork: true', false"
  })
  void theClustersOwnGangsAreNoticed(String spec, boolean expected) {
    assertThat(pod("{spec: {" + spec + "}}").origin().nativeGang()).isEqualTo(expected);
  }

  @Test
  void aPodOfANativeGangIsInNoneOfOurs() {
    var markings = "annotations: {muster.io/gang-name: g, muster.io/gang-min: '2'}";
    var spec = "spec: {schedulingGroup: {podGroupName: g}}";

    assertThat(pod("{metadata: {" + markings + "}}").membership()).isPresent();
    assertThat(pod("{metadata: {" + markings + "}, " + spec + "}").membership()).isEmpty();
  }

  @Test
  void aMemberInThePodGroupThatFollowsFromItsGangIsOurs() {
    var member =
        "{metadata: {namespace: ml, annotations: {muster.io/gang-name: g, muster.io/gang-min: '2'}},"
            + " spec: {schedulingGroup: {podGroupName: %s}}}";
    var own = NativeGroup.nameOf(new GangId(Dialect.MUSTER, "ml", "g"));
    var ours = pod(member.formatted(own));
    assertThat(ours.origin().grouping()).isEqualTo(Pod.Grouping.OWN);
    assertThat(ours.membership()).isPresent();
    assertThat(ours.observed()).isEmpty();

    for (var name : List.of("muster-g-00000000", "g")) {
      var theirs = pod(member.formatted(name));
      assertThat(theirs.origin().grouping()).isEqualTo(Pod.Grouping.OTHER);
      assertThat(theirs.membership()).isEmpty();
      assertThat(theirs.observed().orElseThrow().gang().name()).isEqualTo(name);
    }
  }

  /** As by a copied manifest: it would be counted for the other gang, and start without Muster. */
  @Test
  void aMemberInThePodGroupOfAnotherGangOfMustersNeverStarts() {
    var other = NativeGroup.nameOf(new GangId(Dialect.MUSTER, "ml", "h"));
    var member =
        pod(
            "{metadata: {namespace: ml, annotations: {muster.io/gang-name: g, muster.io/gang-min:"
                + " '2'}}, spec: {schedulingGroup: {podGroupName: %s}}}".formatted(other));
    assertThat(member.observed()).isEmpty();
    var problem = member.unplaceable().orElseThrow();
    assertThat(problem.field()).isEqualTo("spec.schedulingGroup.podGroupName");
    assertThat(problem.problem())
        .startsWith("gang \"ml/g\": spec.schedulingGroup.podGroupName is \"" + other)
        .contains("leave spec.schedulingGroup out");
  }

  /** Said at admission, which alone knows what the namespace says. */
  @Test
  void aNativeGangWaitsInAQueueIfThatIsWrittenOnItsPods() {
    var stamped =
        "{metadata: {namespace: ml, annotations: {muster.io/gang-dialect: native, muster.io/queue: q}},"
            + " spec: {schedulingGroup: {podGroupName: %s}}}";
    var queued = pod(stamped.formatted("g"));
    assertThat(queued.origin().grouping()).isEqualTo(Pod.Grouping.QUEUED);
    assertThat(queued.membership().orElseThrow().gang())
        .isEqualTo(new GangId(Dialect.NATIVE, "ml", "g"));
    assertThat(queued.observed()).isEmpty();
    assertThat(queued.wishes().hints().queue()).hasValue("q");

    var own = NativeGroup.nameOf(new GangId(Dialect.MUSTER, "ml", "g"));
    assertThat(pod(stamped.formatted(own)).membership()).isEmpty();
  }

  @Test
  void aGangThatSomebodyElseStartsIsObserved() {
    var koordinator =
        "---\n{metadata: {namespace: ml, annotations: {gang.scheduling.koordinator.sh/name: g,"
            + " gang.scheduling.koordinator.sh/min-available: '2'}}, spec: {schedulerName: %s}}";
    var served = new PodConverter(new DialectDetector(), Set.of("default-scheduler"));
    var theirs =
        served.pod(
            Serialization.unmarshal(
                koordinator.formatted("koord-scheduler"),
                io.fabric8.kubernetes.api.model.Pod.class));
    assertThat(theirs.membership()).isEmpty();
    assertThat(theirs.observed().orElseThrow().gang().toString()).isEqualTo("ml/g");

    var ours =
        served.pod(
            Serialization.unmarshal(
                koordinator.formatted("default-scheduler"),
                io.fabric8.kubernetes.api.model.Pod.class));
    assertThat(ours.membership()).isPresent();
    assertThat(ours.observed()).isEmpty();
  }

  @Test
  void entriesWithoutValueAreLeftOut() {
    var pod = pod("{metadata: {namespace: ml, labels: {a: null}, annotations: {b: null}}}");

    assertThat(pod.membership()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "containers: [{name: c, resources: {requests: {muster.io/gang-member: 1}}}]",
        "containers: [{name: c}, {name: d, resources: {limits: {muster.io/gang-member: 1}}}]",
        "initContainers: [{name: i, resources: {limits: {muster.io/gang-member: 1}}}]",
        "containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]"
      })
  void kubeSchedulerAsksAboutAPodThatAsksForADeviceOrTheMarker(String spec) {
    assertThat(pod("{spec: {" + spec + "}}").reachesMuster()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "containers: [{name: c}]",
        "containers: [{name: c, resources: {requests: {cpu: 1, rdma/ib: 1}}}]",
        "containers: [{name: c, resources: {limits: {nvidia.com/mig-1g.5gb: 1}}}]"
      })
  void kubeSchedulerDoesNotAskAboutAPodThatAsksForNothingThatIsConfigured(String spec) {
    assertThat(pod("{spec: {" + spec + "}}").reachesMuster()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]",
        "topologySpreadConstraints: [{whenUnsatisfiable: DoNotSchedule}]",
        "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution:"
            + " [{topologyKey: zone}]}}"
      })
  void aPodWithRulesThatThePlanDoesNotKnowIsNotPlain(String spec) {
    assertThat(pod("{spec: {" + spec + "}}").origin().pinning().plain()).isFalse();
    assertThat(pod("{spec: {}}").origin().pinning().plain()).isTrue();
  }

  private Node node(String yaml) {
    return translation.node(
        Serialization.unmarshal("---\n" + yaml, io.fabric8.kubernetes.api.model.Node.class));
  }

  private Pod pod(String yaml) {
    return translation.pod(
        Serialization.unmarshal("---\n" + yaml, io.fabric8.kubernetes.api.model.Pod.class));
  }
}
