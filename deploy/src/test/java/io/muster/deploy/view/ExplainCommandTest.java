package io.muster.deploy.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.kube.gang.GangObjectNames;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
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

  @Test
  void aPodByItselfIsToldByThePlanner() throws IOException {
    var run = explain(cluster(), "pod/alone");

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.out()).startsWith("pod train/alone: no room for 1 members together");
  }

  @Test
  void missingMembersAreNamedSo() throws IOException {
    var run = explain(new Views().node("n", 8).pod("g-0", 4, "", GANG), "gang/g");

    assertThat(run.out())
        .startsWith("gang train/g: 1 of 2 members exist")
        .contains("-> check why the owner of the pods");
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
