package io.muster.deploy.view;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LineCommandTest {

  @TempDir Path folder;

  private static Map<String, String> gang(String name, String min) {
    return Map.of("muster.io/gang-name", name, "muster.io/gang-min", min);
  }

  /** One gang runs, one waits, one lacks a member. */
  private static Views cluster() {
    return new Views()
        .node("n", 8)
        .runs("old", "n", 8)
        .pod("lacks-0", 4, "", gang("lacks", "3"))
        .pod("waits-0", 4, "", gang("waits", "2"))
        .pod("waits-1", 4, "", gang("waits", "2"));
  }

  @Test
  void gangsAreListedInTheOrderInWhichTheyAreTriedWithWhatWouldLetThemStart() throws IOException {
    var run = Views.run(new LineCommand(), "-n", "train", "--snapshot", cluster().in(folder));

    assertThat(run.code()).as(run.err()).isZero();
    var lines = run.out().lines().toList();
    assertThat(lines).hasSize(5);
    assertThat(lines.get(0)).startsWith("POSITION GANG ").contains("QUEUE", "EXPECTED", "WHY");
    assertThat(lines.get(1))
        .matches("1 +train/waits +default +2 +8 +10m +- +no room for 2 members together: .*");
    assertThat(lines.get(2)).contains("-> ", "add nodes");
    assertThat(lines.get(3)).matches("- +train/lacks +default +3 +12 +10m +- +1 of 3 members.*");
  }

  @Test
  void whenAGangWillProbablyStartIsSaidWithWhatHasToEndFirst() throws IOException {
    var states = new HashMap<>(gang("old", "1"));
    states.put("muster.io/run-time", "90m");
    var file =
        new Views()
            .node("n", 8)
            .pod("old-0", 8, "n", states)
            .pod("waits-0", 4, "", gang("waits", "1"))
            .in(folder);

    var run = Views.run(new LineCommand(), "-n", "train", "--snapshot", file);
    var at = Views.NOW.plusSeconds(80 * 60);
    assertThat(run.out().lines().toList().get(1)).contains(" 10m " + at + " no room ");
    assertThat(run.out())
        .contains(
            "expected to start at %s; after train/old, which states that it runs 90m"
                .formatted(at));
    var json = Views.run(new LineCommand(), "-A", "-o", "json", "--snapshot", file).out();
    assertThat(new ObjectMapper().readTree(json).at("/gangs/0/expectedStart/p50").textValue())
        .isEqualTo(at.toString());
    var explained =
        Views.run(new ExplainCommand(), "gang/waits", "-n", "train", "--snapshot", file).out();
    assertThat(explained).contains("expected to start at " + at + "; after train/old");
  }

  @Test
  void thatNobodyKnowsWhenAGangStartsIsSaid() throws IOException {
    var explained =
        Views.run(
            new ExplainCommand(), "gang/waits", "-n", "train", "--snapshot", cluster().in(folder));

    assertThat(explained.out()).contains("not known when it will start", "muster.io/run-time");
  }

  @Test
  void programsReadTheSame() throws IOException {
    var run = Views.run(new LineCommand(), "-A", "-o", "json", "--snapshot", cluster().in(folder));

    var document = new ObjectMapper().readTree(run.out());
    assertThat(document.at("/version").intValue()).isEqualTo(1);
    assertThat(document.at("/gangs/0/position").intValue()).isEqualTo(1);
    assertThat(document.at("/gangs/0/name").textValue()).isEqualTo("waits");
    assertThat(document.at("/gangs/0/reason").textValue()).isEqualTo("NoRoom");
    assertThat(document.at("/gangs/1").has("position")).isFalse();
    assertThat(document.at("/gangs")).hasSize(2);
  }

  @Test
  void otherNamespacesAndQueuesAreLeftOut() throws IOException {
    var file = cluster().queues(List.of("default", "speech")).in(folder);
    assertThat(Views.run(new LineCommand(), "-n", "other", "--snapshot", file).out().strip())
        .isEqualTo("no gang waits in namespace other");
    assertThat(
            Views.run(new LineCommand(), "-A", "--queue", "speech", "--snapshot", file)
                .out()
                .strip())
        .isEqualTo("no gang waits in queue speech");
  }

  @Test
  void aQueueThatThereIsNotIsNamedWithThoseThatThereAre() throws IOException {
    var file = cluster().queues(List.of("speech", "vision")).in(folder);
    var run = Views.run(new LineCommand(), "-A", "--queue", "speach", "--snapshot", file);
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).contains("there is no queue speach: queues are default, speech, vision");
  }

  @Test
  void queuesSayWhatIsAskedOfThem() throws IOException {
    var run = Views.run(new QueuesCommand(), "--snapshot", cluster().in(folder));

    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.out().lines().toList().get(1)).matches("default +- +\\d+ +0 +0 +- +20 +2");
    var json =
        Views.run(new QueuesCommand(), "-o", "json", "--snapshot", cluster().in(folder)).out();
    assertThat(new ObjectMapper().readTree(json).at("/queues/0/asked").intValue()).isEqualTo(20);
  }

  @Test
  void whatATerminalWouldObeyInNamesIsNotPrinted() throws IOException {
    var views =
        cluster()
            .pod("red-0", 4, "", gang("red\u001b[31m", "1"))
            .pod("clear-0", 4, "", gang("clear\u009b2J", "2"))
            .pod("back-0", 4, "", gang("back\u202egnp", "2"));

    var run = Views.run(new LineCommand(), "-n", "train", "--snapshot", views.in(folder));
    assertThat(run.out()).contains("train/red?[31m", "train/clear?2J", "train/back?gnp");
    assertThat(run.out()).doesNotContainPattern("[\\p{Cc}\\p{Cf}&&[^\n]]");

    var name = "gang/clear\u009b2J\u001b[31m";
    var unknown =
        Views.run(new ExplainCommand(), "-n", "train", "--snapshot", views.in(folder), name);
    assertThat(unknown.err()).startsWith("muster: there is no gang/clear?2J?[31m in namespace");
  }
}
