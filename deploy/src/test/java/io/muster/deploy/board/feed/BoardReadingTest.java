package io.muster.deploy.board.feed;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.muster.deploy.board.feed.BoardView.GangRow;
import io.muster.deploy.board.feed.BoardView.NodeCell;
import io.muster.deploy.view.QueuesCommand;
import io.muster.deploy.view.Views;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.protocol.ExpectedStart;
import io.muster.extender.core.protocol.GangRecord;
import io.muster.extender.core.protocol.GangReport;
import io.muster.extender.core.protocol.Reason;
import io.muster.extender.kube.gang.Gang;
import io.muster.extender.kube.gang.GangObjects;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class BoardReadingTest {

  private final BoardReading reading = new BoardReading(NodeLabels.USUAL);

  private static Map<String, String> gang(String name, int min) {
    return Map.of("muster.io/gang-name", name, "muster.io/gang-min", "" + min);
  }

  /** One gang runs on four of eight devices, one waits for eight, a pod of no gang has one. */
  private static Views cluster() {
    return new Views()
        .node("a", 8)
        .node("b", 4)
        .pod("old-0", 4, "a", gang("old", 1))
        .pod("single", 1, "a", Map.of())
        .pod("waits-0", 4, "", gang("waits", 2))
        .pod("waits-1", 5, "", gang("waits", 2));
  }

  private static GangId id(String name) {
    return new GangId(Dialect.MUSTER, "train", name);
  }

  private static Gang object(String name, GangRecord.Phase phase, String message) {
    var record =
        new GangRecord(
            id(name), 1, 1, phase, 1, false, Map.of(), Optional.empty(), Optional.empty());
    var gang = new Gang();
    gang.setMetadata(
        new ObjectMetaBuilder()
            .withNamespace("train")
            .withName(name)
            .withCreationTimestamp("2026-11-22T05:00:00Z")
            .build());
    gang.setSpec(GangObjects.specOf(record));
    gang.setStatus(
        GangObjects.statusOf(
            record, new GangReport(phase, 2, 0, Reason.NO_ROOM, message, "add nodes")));
    return gang;
  }

  private static GangRow row(BoardView view, String name) {
    return view.gangs().stream().filter(gang -> gang.name().equals(name)).findFirst().orElseThrow();
  }

  private static NodeCell cell(BoardView view, String name) {
    return view.nodes().stream().filter(node -> node.name().equals(name)).findFirst().orElseThrow();
  }

  @Test
  void aCellSaysHowManyDevicesEachGangHas() {
    var view = reading.view(Sources.seen(Sources.NOT_LED, cluster()));

    long old = row(view, "old").id();
    assertThat(cell(view, "a").held())
        .containsExactlyInAnyOrder(List.of(-1L, 1L), List.of(old, 4L));
    assertThat(cell(view, "a").devices()).isEqualTo(8);
    assertThat(cell(view, "a").device()).isEqualTo("nvidia.com/gpu");
    assertThat(cell(view, "b").held()).isNull();
    assertThat(row(view, "old").minAvailable()).isEqualTo(1);
    assertThat(row(view, "old").devices()).isEqualTo(4);
    assertThat(view.totals().devices()).isEqualTo(12);
    assertThat(view.totals().used()).isEqualTo(5);
    assertThat(view.totals().free()).isEqualTo(7);
  }

  @Test
  void theOnlyQueueStandsAsMusterQueuesSays(@TempDir Path folder) throws IOException {
    var views = cluster().pod("starts-0", 3, "", gang("starts", 1));

    var bar = reading.view(Sources.seen(Sources.NOT_LED, views)).queues().getFirst();

    assertThat(bar.used()).as("on nodes, and kept for a gang that starts").isEqualTo(5 + 3);
    var said = Views.run(new QueuesCommand(), "-o", "json", "--snapshot", views.in(folder)).out();
    var queue = new ObjectMapper().readTree(said).at("/queues/0");
    assertThat(queue.path("name").textValue()).isEqualTo(bar.name());
    assertThat(queue.path("used").longValue()).isEqualTo(bar.used());
    assertThat(queue.path("asked").longValue()).isEqualTo(bar.asked());
  }

  @Test
  void withoutAMusterItIsWorkedOutWhyAGangWaits() {
    var start = new ExpectedStart(Views.NOW.plusSeconds(60), Optional.empty(), "after a/b");
    var seen = Sources.seen(Sources.NOT_LED, cluster(), Map.of(id("waits"), start));

    var waits = row(reading.view(seen), "waits");
    assertThat(waits.phase()).isEqualTo("Waiting");
    assertThat(waits.position()).isEqualTo(1);
    assertThat(waits.devices()).isEqualTo(9);
    assertThat(waits.minAvailable()).isEqualTo(2);
    assertThat(waits.message()).startsWith("no room for 2 members together: ");
    assertThat(waits.remedy()).isNotEmpty();
    assertThat(waits.expected().p50()).isEqualTo("2026-11-22T06:01:00Z");
    assertThat(waits.expected().after()).isEqualTo("after a/b");
  }

  @Test
  void whereAMusterIsRunningItsOwnWordsAreShown() {
    var told = object("waits", GangRecord.Phase.WAITING, "as it was told");
    var led = reading.view(Sources.seen(Sources.LED, cluster(), told));
    assertThat(row(led, "waits").message()).isEqualTo("as it was told");
    assertThat(row(led, "waits").position()).as("none has been told").isNull();

    var past = reading.view(Sources.seen(Sources.NOT_LED, cluster(), told));
    assertThat(row(past, "waits").message()).startsWith("no room for 2 members together: ");
  }

  private static Seen atAgeOfGangs(BoardView.Source source, Duration age) {
    var seen = Sources.seen(source, cluster());
    var at = Views.NOW.minusSeconds(600).plus(age);
    return new Seen(source, at, seen.replay(), seen.pods(), seen.objects(), seen.expected());
  }

  /** To work out what is said of one gang takes a replay of seven seconds, with all gangs in it. */
  @Test
  void whatARunningMusterIsAboutToSayOfANewGangIsNotWorkedOut() {
    var fresh = atAgeOfGangs(Sources.LED, Duration.ofSeconds(29));
    var standing = fresh.replay().orElseThrow().gangs().getLast().report();
    var row = row(reading.view(fresh), "waits");
    assertThat(row.message()).isEqualTo(standing.message());
    assertThat(row.phase()).isEqualTo("Waiting");
    assertThat(row.position()).isEqualTo(1);

    var late = reading.view(atAgeOfGangs(Sources.LED, Duration.ofSeconds(31)));
    var notLed = reading.view(atAgeOfGangs(Sources.NOT_LED, Duration.ofSeconds(1)));
    assertThat(row(late, "waits").message())
        .isEqualTo(row(notLed, "waits").message())
        .startsWith("no room for 2 members together: ")
        .isNotEqualTo(standing.message());
  }

  @Test
  void aGangOfWhichOnlyTheObjectIsLeftIsShown() {
    var over = object("over", GangRecord.Phase.FINISHED, "every member has ended");
    var view = reading.view(Sources.seen(Sources.LED, cluster(), over));

    assertThat(row(view, "over").phase()).isEqualTo("Finished");
    assertThat(row(view, "over").queue()).isNull();
    assertThat(view.gangs()).hasSize(3);
  }

  @Test
  void aNumberIsNeverThatOfAnother() {
    var before = reading.view(Sources.seen(Sources.NOT_LED, cluster()));
    var without = new Views().node("b", 4).pod("waits-0", 4, "", gang("waits", 2));
    var between = reading.view(Sources.seen(Sources.NOT_LED, without));
    var after = reading.view(Sources.seen(Sources.NOT_LED, cluster()));

    assertThat(row(between, "waits").id()).isEqualTo(row(before, "waits").id());
    assertThat(cell(between, "b").id()).isEqualTo(cell(before, "b").id());
    assertThat(row(after, "old").id()).isNotIn(before.gangs().stream().map(GangRow::id).toList());
    assertThat(cell(after, "a").id()).isNotIn(before.nodes().stream().map(NodeCell::id).toList());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whoSeesNoNodesSeesWhatIsToldOfGangsOrWasLast(boolean isLed) {
    var told = object("waits", GangRecord.Phase.WAITING, "as it was told");
    var seen =
        new Seen(
            isLed ? Sources.LED : Sources.NOT_LED,
            Views.NOW,
            Optional.empty(),
            Map.of(),
            Map.of(id("waits"), told),
            Map.of());

    var view = reading.view(seen);
    assertThat(view.totals()).isNull();
    assertThat(view.nodes()).isEmpty();
    assertThat(view.gangs()).hasSize(1);
    assertThat(row(view, "waits").message()).isEqualTo("as it was told");
    assertThat(row(view, "waits").since()).isEqualTo("2026-11-22T05:00:00Z");
  }
}
