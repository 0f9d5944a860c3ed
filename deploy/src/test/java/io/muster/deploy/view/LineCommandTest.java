package io.muster.deploy.view;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
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
    var file = cluster().in(folder);
    assertThat(Views.run(new LineCommand(), "-n", "other", "--snapshot", file).out().strip())
        .isEqualTo("no gang waits");
    assertThat(
            Views.run(new LineCommand(), "-A", "--queue", "speech", "--snapshot", file)
                .out()
                .strip())
        .isEqualTo("no gang waits");
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
}
