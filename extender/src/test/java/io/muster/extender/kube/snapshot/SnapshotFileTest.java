package io.muster.extender.kube.snapshot;

import static io.muster.extender.core.NodeBuilder.aNode;
import static io.muster.extender.core.PodBuilder.aPod;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.muster.extender.core.cluster.Budget;
import io.muster.extender.core.cluster.Levels;
import io.muster.extender.core.cluster.NamespaceQuota;
import io.muster.extender.core.cluster.NodePin;
import io.muster.extender.core.cluster.NodeTerm;
import io.muster.extender.core.cluster.NodeTerm.Operator;
import io.muster.extender.core.cluster.NodeTerm.Requirement;
import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.cluster.Taint;
import io.muster.extender.core.cluster.Toleration;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.Enrolment;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.Membership;
import io.muster.extender.core.gang.NvlinkDomain;
import io.muster.extender.core.gang.TermsObject;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.core.protocol.ClusterView;
import io.muster.extender.core.protocol.Deadlines;
import io.muster.extender.core.protocol.Event;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.GangRecord.LimitReached;
import io.muster.extender.core.protocol.GangRecord.Phase;
import io.muster.extender.core.protocol.GangRecord.Place;
import io.muster.extender.core.protocol.NodePinPolicy;
import io.muster.extender.core.protocol.Rules;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import io.muster.extender.kube.convert.PodConverter;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class SnapshotFileTest {

  private static final Path GOLDEN = Path.of("src/test/resources/snapshot/version-10.json");
  private static final Instant NOW = Instant.parse("2026-11-22T06:00:00.5Z");

  private static final Duration LIMIT = Duration.ofHours(4);

  private static final Queue LIMITED_QUEUE =
      new Queue(
          "limited",
          1,
          Optional.empty(),
          Optional.empty(),
          Order.PRIORITY,
          false,
          Optional.empty(),
          Optional.of(LIMIT),
          Optional.empty(),
          Set.of());

  private static final TermsObject OBJECT =
      new TermsObject(TermsObject.Kind.VOLCANO_POD_GROUP, "train", "v");

  /** Every kind of field has something in it somewhere. */
  private static ClusterView view() {
    var term =
        new NodeTerm(List.of(new Requirement("zone", Operator.IN, Set.of("b", "a"))), List.of());
    var member =
        aPod("train", "g-0")
            .gpus(8)
            .cpuMillis(500)
            .hostPort("TCP", "", 2222)
            .gang("g", 2)
            .nvlink(new NvlinkDomain(NvlinkDomain.Word.REQUIRED, true))
            .gated()
            .selecting("pool", "big")
            .anyOf(term)
            .preferring(term)
            .onVolume(term)
            .beforeOne(aPod("train", "g-launcher").cpuMillis(100).build())
            .createdAt(NOW)
            .build();
    return new ClusterView(
        NOW,
        Rules.extender(NodePinPolicy.AUTO),
        Deadlines.DEFAULT,
        true,
        List.of(Queue.unbounded("q"), Queue.unbounded("default"), LIMITED_QUEUE),
        Levels.FOUND,
        List.of(
            new Budget(
                "train", "guard", List.of(new Requirement("app", Operator.IN, Set.of("a"))), 2)),
        List.of(new NamespaceQuota("train", "gpus", Map.of("nvidia.com/gpu", 8L))),
        new TreeMap<>(Map.of("train", Enrolment.GANG, "look", Enrolment.SHADOW)),
        List.of(
            aNode("n2").gpus(8).build(),
            aNode("n1")
                .gpus(8)
                .label("zone", "a")
                .taint("k", "", Taint.Effect.NO_SCHEDULE)
                .build()),
        List.of(
            new GangRecord(
                new GangId(Dialect.KOORDINATOR, "train", "g"),
                2,
                3,
                Phase.BINDING,
                2,
                false,
                Map.of("uid-g-1", new Place("g-1", "n1")),
                Optional.of("owner"),
                Optional.empty()),
            new GangRecord(
                new GangId(Dialect.MUSTER, "train", "limited"),
                2,
                4,
                Phase.WAITING,
                1,
                false,
                Map.of(),
                Optional.of("owner"),
                Optional.of(new LimitReached(NOW, LIMIT, Set.of("owner", "another"))))),
        List.of(new Event.TermsSeen(OBJECT, member.membership().map(Membership::terms))),
        List.of(
            member,
            io.muster.extender.core.PodBuilder.tied(member, new NodePin("t", List.of("n1", "n2"))),
            aPod("train", "g-1").gang("g", 2).on("n1").placedBy(2).build(),
            aPod("train", "odd").unusableGang("odd", "min", "x", "must be a number").build(),
            aPod("train", "never").gang("g", 2).unplaceable("f", "v", "p").build(),
            aPod("train", "v-0").gang(Dialect.KOORDINATOR, OBJECT).build(),
            aPod("train", "others").gang("o", 2).startedBy("volcano").build(),
            limited(),
            ending()));
  }

  /** As files up to version 7 say it. */
  private static ClusterView withoutNvlink() throws Exception {
    return read(written(view()).replace("{\"word\":\"REQUIRED\",\"isClaimed\":true}", unstated()));
  }

  private static String unstated() {
    return "{\"word\":\"UNSTATED\",\"isClaimed\":false}";
  }

  private static Pod limited() {
    return aPod("train", "limited-0").gang("limited", 1).atMost(LIMIT).build();
  }

  private static Pod ending() {
    var pod = aPod("train", "ends").on("n1").build();
    return pod.at(pod.progress().endingBy(NOW)).asControlled();
  }

  private static String written(ClusterView view) throws IOException {
    var out = new ByteArrayOutputStream();
    SnapshotFile.write(view, out);
    return out.toString(StandardCharsets.UTF_8);
  }

  private static ClusterView read(String text)
      throws IOException, SnapshotFile.UnreadableException {
    return SnapshotFile.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void whatIsReadIsWhatWasWritten() throws Exception {
    assertThat(read(written(view()))).isEqualTo(view());
  }

  @Test
  void theSameViewIsTheSameText() throws IOException {
    assertThat(written(view())).isEqualTo(written(view()));
  }

  /** Where this fails, files of earlier programs cannot be read: count {@code VERSION} up too. */
  @Test
  void theFormOfTheVersionIsAsItWas() throws IOException {
    var text = written(view());
    if (Boolean.getBoolean("muster.golden.update")) {
      Files.createDirectories(GOLDEN.getParent());
      Files.writeString(GOLDEN, text);
    }
    assertThat(text).isEqualTo(Files.readString(GOLDEN));
  }

  @Test
  void filesOfVersion8DoNotSayWhichTolerationsEnd() throws Exception {
    assertThat(read(Files.readString(GOLDEN.resolveSibling("version-8.json")))).isEqualTo(view());
    var ends = new Toleration("k", true, "", Optional.of(Taint.Effect.NO_EXECUTE), true);
    var pod = aPod("train", "a").tolerating(ends).build();

    var text = written(viewOf(pod));

    assertThat(read(text).pods()).containsExactly(pod);
    assertThat(read(text.replace(",\"ends\":true", "")).pods().getFirst().demand().tolerations())
        .containsExactly(new Toleration("k", true, "", ends.effect()));
  }

  @Test
  void filesOfVersion9DoNotSayWhichGangsHaveMembersThatAreToEnd() throws Exception {
    assertThat(read(Files.readString(GOLDEN.resolveSibling("version-9.json")))).isEqualTo(view());
    var text = written(view()).replace("\"ending\":false", "\"ending\":true");
    assertThat(read(text).gangs()).isNotEmpty().allMatch(GangRecord::ending);
  }

  private static ClusterView viewOf(Pod pod) {
    var view = view();
    return new ClusterView(
        view.takenAt(),
        view.rules(),
        view.deadlines(),
        view.released(),
        view.queues(),
        Levels.FOUND,
        view.budgets(),
        view.namespaceQuotas(),
        view.namespaces(),
        view.nodes(),
        view.gangs(),
        view.terms(),
        List.of(pod));
  }

  @ParameterizedTest
  @ValueSource(ints = {6, 7})
  void filesOfVersion7SayNothingOfNvlinkDomainsAndLevels(int version) throws Exception {
    var former = Files.readString(GOLDEN.resolveSibling("version-%d.json".formatted(version)));
    assertThat(read(former)).isEqualTo(withoutNvlink());
  }

  /**
   * They know of no run-time limits, the first two of no pod's end or ResourceQuotas; all else
   * reads as it is now.
   */
  @ParameterizedTest
  @ValueSource(ints = {3, 4, 5})
  void filesOfEarlierVersionsAreReadToo(int version) throws Exception {
    var former = Files.readString(GOLDEN.resolveSibling("version-%d.json".formatted(version)));
    var view = view();
    assertThat(read(former))
        .isEqualTo(
            new ClusterView(
                view.takenAt(),
                view.rules(),
                view.deadlines(),
                view.released(),
                view.queues().stream().filter(queue -> !queue.equals(LIMITED_QUEUE)).toList(),
                Levels.FOUND,
                view.budgets(),
                version == 3 ? List.of() : view.namespaceQuotas(),
                view.namespaces(),
                view.nodes(),
                view.gangs().stream().filter(gang -> gang.limitReached().isEmpty()).toList(),
                view.terms(),
                withoutNvlink().pods().stream()
                    .filter(pod -> version == 5 || !pod.equals(ending()))
                    .filter(pod -> !pod.equals(limited()))
                    .toList()));
  }

  @Test
  void nothingOfAContainerIsInItButWhatItAsksFor() throws IOException {
    var container =
        new ContainerBuilder()
            .withName("main")
            .withImage("registry.example/image")
            .withCommand("run", "--password=hidden-1")
            .addNewEnv()
            .withName("TOKEN")
            .withValue("hidden-2")
            .endEnv()
            .build();
    var pod =
        new PodBuilder()
            .withNewMetadata()
            .withNamespace("train")
            .withName("p")
            .withUid("u")
            .addToAnnotations("kubectl.kubernetes.io/last-applied-configuration", "hidden-3")
            .endMetadata()
            .withNewSpec()
            .withContainers(container)
            .endSpec()
            .build();
    Pod seen = new PodConverter(new DialectDetector()).pod(pod);
    var view =
        new ClusterView(
            NOW,
            Rules.affinity(),
            Deadlines.DEFAULT,
            false,
            List.of(),
            Levels.FOUND,
            List.of(),
            List.of(),
            new TreeMap<>(),
            List.of(),
            List.of(),
            List.of(),
            List.of(seen));

    assertThat(written(view))
        .contains("\"name\":\"p\"")
        .doesNotContain("hidden", "registry.example", "TOKEN");
  }

  /** Edited by hand, as to take names out before it is sent to somebody. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/takenAt | takenAt",
        "/rules/placement | rules.placement",
        "/rules/waiting/backfillAfter | rules.waiting.backfillAfter",
        "/nodes/0/name | nodes[0].name",
        "/pods/0/key/uid | pods[0].key.uid",
        "/pods/3/membership/gang/namespace | pods[3].membership.gang.namespace",
        "/pods/0/progress | pods[0].progress",
        "/pods/0/origin/pinning | pods[0].origin.pinning",
      })
  void whatLacksAFieldIsSaidToLackIt(String path, String said) throws IOException {
    for (var isThere : List.of(true, false)) {
      var tree = new ObjectMapper().readTree(written(view()));
      int last = path.lastIndexOf('/');
      var object = (ObjectNode) tree.at(path.substring(0, last));
      if (isThere) {
        object.putNull(path.substring(last + 1));
      } else {
        object.remove(path.substring(last + 1));
      }
      assertThatThrownBy(() -> read(tree.toString()))
          .isInstanceOf(SnapshotFile.UnreadableException.class)
          .hasMessage(
              "is no snapshot of muster, or was changed: %s is missing or wrong".formatted(said));
    }
  }

  @Test
  void nullInAListIsSaidToBeThere() throws IOException {
    var tree = new ObjectMapper().readTree(written(view()));
    ((ArrayNode) tree.at("/pods")).addNull();
    assertThatThrownBy(() -> read(tree.toString()))
        .isInstanceOf(SnapshotFile.UnreadableException.class)
        .hasMessage("says what cannot be: null in a list");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "nothing | is no snapshot of muster",
        "{} | states no version",
        "{\"version\": 99} | version 99, and this program reads 3 to 10",
        "{\"version\": 5, \"nodes\": 5} | is no snapshot of muster",
        "{\"version\": 5, \"takenAt\": \"soon\"} | is no snapshot of muster",
      })
  void whatIsNoSnapshotIsSaidToBeNone(String text, String said) {
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(SnapshotFile.UnreadableException.class)
        .hasMessageContaining(said);
  }
}
