package io.muster.deploy.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.cluster.Pod;
import io.muster.extender.core.decision.Replay;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.ClusterView;
import io.muster.extender.core.protocol.GangReport;
import io.muster.extender.core.queue.Order;
import io.muster.extender.core.queue.Queue;
import io.muster.extender.kube.gang.GangObjectNames;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ExplainCommandTest {

  private static final Map<String, String> GANG =
      Map.of("muster.io/gang-name", "g", "muster.io/gang-min", "2");

  @TempDir Path folder;

  private Views.Run explain(Views views, String subject) throws IOException {
    return Views.run(new ExplainCommand(), subject, "-n", "train", "--snapshot", views.in(folder));
  }

  /** One gang runs, one waits, a pod waits by itself. */
  private static Views cluster() {
    return new Views()
        .node("n", 8)
        .runs("old", "n", 8)
        .pod("g-0", 4, "", GANG)
        .pod("g-1", 4, "", GANG)
        .pod("alone", 1, "", Map.of());
  }

  @Test
  void aGangThatWaitsIsToldInTheWordsOfMusterWithWhatWouldChangeIt() throws IOException {
    var run = explain(cluster(), "gang/g");

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.out())
        .startsWith("gang train/g: no room for 2 members together: 0/1 nodes are available");
    assertThat(run.out().lines())
        .contains(
            "  phase Waiting, reason NoRoom, 2 members, 0 bound",
            "  members: 2 pending",
            "  place 1 of 1 in the line",
            "  would start once gang train/old (for 10m here) has ended",
            "  worked out from the cluster as it stands: no Muster says it")
        .anyMatch(line -> line.startsWith("  -> ") && line.contains("add nodes"));
  }

  /** The line has both, too. */
  @Test
  void aGangThatItsQueueRefusesIsToldItsPlaceAndItsStart() throws IOException {
    var limit = Optional.of(8L);
    var waits = new TreeMap<>(GANG);
    waits.put("muster.io/gang-min", "1");
    var views =
        new Views()
            .node("n", 16)
            .queue(
                new Queue(
                    "default",
                    1,
                    Optional.empty(),
                    limit,
                    Order.PRIORITY,
                    false,
                    Optional.of(Duration.ofHours(1)),
                    Set.of()))
            .runs("old", "n", 8)
            .pod("g-0", 4, "", waits);
    var run = explain(views, "gang/g");

    assertThat(run.out()).startsWith("gang train/g: queue \"default\" may hold 8 devices");
    assertThat(run.out().lines())
        .contains("  place 1 of 1 in the line")
        .anyMatch(line -> line.startsWith("  expected to start at 2026-11-22T06:50"));
  }

  @Test
  void aGangThatRunsIsWell() throws IOException {
    var run = explain(cluster(), "gang/old");

    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.out()).startsWith("gang train/old: 1 of at least 1 members bound");
  }

  /** An object cannot be called like every gang. */
  @Test
  void aGangIsFoundByTheNameOfItsObjectToo() throws IOException {
    var id = new GangId(Dialect.MUSTER, "train", "Run_7");
    var object = GangObjectNames.candidates(id).getFirst();
    assertThat(object).startsWith("run-7-");
    var run = explain(cluster().runs(id.name(), "n", 0), "gang/" + object);

    assertThat(run.out()).as(run.err()).startsWith("gang train/Run_7: 1 of at least 1 members");
  }

  @Test
  void aGangThatIsCalledLikeTheObjectOfAnotherIsMeant() throws IOException {
    var id = new GangId(Dialect.MUSTER, "train", "Run_7");
    var object = GangObjectNames.candidates(id).getFirst();
    var both = cluster().runs(id.name(), "n", 0).runs(object, "n", 0);

    assertThat(explain(both, "gang/" + object).out()).startsWith("gang train/" + object + ": ");
  }

  @Test
  void aMemberIsToldByItsGang() throws IOException {
    assertThat(explain(cluster(), "pod/g-1").out())
        .startsWith("pod train/g-1: no room for 2 members together")
        .contains("a member of gang train/g");
    assertThat(explain(cluster(), "pod/old-0").out())
        .startsWith("pod train/old-0: it is on node n");
  }

  /** A job that was made larger than the cluster has room for. */
  @Test
  void aMemberThatItsGangHasStartedWithoutIsToldByItself() throws IOException {
    var views = cluster().pod("old-1", 8, "", annotations("old", 1));
    var run = explain(views, "pod/old-1");

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.out())
        .startsWith("pod train/old-1: its gang has started, and it waits for a node of its own\n")
        .contains("gang train/old", "members: 1 bound, 1 pending, on n", "-> see its events")
        .doesNotContain("waits with its gang");
    assertThat(explain(views, "gang/old").out())
        .startsWith("gang train/old: 1 of at least 1 members bound")
        .contains("  pod old-1: its gang has started, and it waits for a node of its own\n");
  }

  private static Map<String, String> annotations(String gang, int minimum) {
    return Map.of("muster.io/gang-name", gang, "muster.io/gang-min", "" + minimum);
  }

  @Test
  void aPodByItselfIsToldByThePlanner() throws IOException {
    var run = explain(cluster(), "pod/alone");

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.out()).startsWith("pod train/alone: no room for 1 member");
  }

  @Test
  void aPodByItselfThatMoreNodesWouldNotHelpIsToldWhatWould() throws IOException {
    var views =
        new Views()
            .node("n", 8)
            .pod("astray", 1, "", Map.of("muster.io/queue", "nope"))
            .pod("huge", 16, "", Map.of());

    assertThat(explain(views, "pod/astray").out())
        .startsWith(
            "pod train/astray: there is no queue \"nope\"; create the pods again without"
                + " muster.io/queue, or with one of")
        .doesNotContain("->");
    assertThat(explain(views, "pod/huge").out())
        .contains("-> add nodes, or ask for less")
        .doesNotContain("until others end");
  }

  @Test
  void aPodThatHasRoomWaitsForMusterWhereNoneLeads() {
    var views = new Views().node("n", 8).pod("alone", 1, "", Map.of());

    assertThat(new Explaining(new Unled(views.view())).pod("train", "alone"))
        .get()
        .satisfies(found -> {
          assertThat(found.sentence())
              .isEqualTo(
                  "there is room for it, but no Muster leads, and kube-scheduler asks Muster"
                      + " first");
          assertThat(found.remedy()).startsWith("start Muster");
        });
  }

  @Test
  void theGateOfMusterIsNoneOfOthers() {
    var gates = Set.of(Pod.GATE, "example.com/ok");
    var gated =
        new Pod.Progress(Pod.Phase.PENDING, Optional.empty(), Optional.empty(), false, gates);
    var seen = new FileSight(new Views().node("n", 8).pod("g-0", 4, "", GANG).view());
    var sight = new Unled(seen, pod -> pod.at(gated));

    assertThat(new Explaining(sight).pod("train", "g-0").orElseThrow().evidence())
        .contains("the pod: scheduling gates of others hold it back: example.com/ok");
  }

  /** A cluster of which it is known that no Muster leads in it. */
  private record Unled(FileSight seen, UnaryOperator<Pod> altered) implements Sight {

    Unled(ClusterView view) {
      this(new FileSight(view), UnaryOperator.identity());
    }

    @Override
    public List<Pod> pods(String namespace) {
      return seen.pods(namespace).stream().map(altered).toList();
    }

    @Override
    public Set<GangId> stored(String namespace) {
      return seen.stored(namespace);
    }

    @Override
    public Optional<GangReport> told(GangId gang) {
      return Optional.empty();
    }

    @Override
    public boolean isLed() {
      return false;
    }

    @Override
    public Optional<Replay> replay() {
      return seen.replay();
    }

    @Override
    public Optional<SeenJob> job(String namespace, String kind, String name) {
      return Optional.empty();
    }
  }

  @Test
  void missingMembersAreNamedSo() throws IOException {
    var run = explain(new Views().node("n", 8).pod("g-0", 4, "", GANG), "gang/g");

    assertThat(run.out())
        .startsWith("gang train/g: 1 of 2 members exist")
        .contains("-> create the missing pods, or create all of them again with a smaller minimum");
  }

  @Test
  void aKindThatIsNotExplainedIsNotSaidToBeAbsent() throws IOException {
    assertThat(explain(cluster(), "deployment/web").err())
        .startsWith("muster: deployment is no kind that is explained: say gang/NAME, pod/NAME");
  }

  @Test
  void whatIsNotThereIsWrongUse() throws IOException {
    for (var subject : new String[] {"gang/none", "pod/none", "node/n", "gang", "gang/", "job/g"}) {
      var run = explain(cluster(), subject);

      assertThat(run.code()).as(subject).isEqualTo(2);
      assertThat(run.err()).as(subject).startsWith("muster: ");
      assertThat(run.out()).isEmpty();
    }
  }
}
