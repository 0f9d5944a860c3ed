package io.muster.deploy.view;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TopCommandTest {

  @TempDir Path folder;

  /** A node with a gang and with a pod by itself, and one that a gang will start on. */
  private static Views cluster() {
    return new Views()
        .node("busy", 8)
        .node("idle", 8)
        .runs("old", "busy", 4)
        .pod("alone", 1, "busy", Map.of())
        .pod("new-0", 6, "", Map.of("muster.io/gang-name", "new", "muster.io/gang-min", "1"));
  }

  @Test
  void devicesInUseKeptAndFreeAreListedForEachNode() throws IOException {
    var run = Views.run(new TopCommand(), "--snapshot", cluster().in(folder));

    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.out().lines().map(line -> line.replaceAll(" +", " ")))
        .containsExactly(
            "NODE NODES STATE DEVICES USED KEPT FREE GANGS",
            "busy 1 ready 8 5 0 3 train/old",
            "idle 1 ready 8 0 6 2");
  }

  @Test
  void nodesAreAddedUpByALabel() throws IOException {
    var run = Views.run(new TopCommand(), "--by", "rack", "--snapshot", cluster().in(folder));

    assertThat(run.out().lines().map(line -> line.replaceAll(" +", " ")))
        .containsExactly(
            "rack NODES STATE DEVICES USED KEPT FREE GANGS", "(none) 2 2 ready 16 5 6 5 train/old");
  }

  @Test
  void programsReadTheSame() throws IOException {
    var run = Views.run(new TopCommand(), "-o", "json", "--snapshot", cluster().in(folder));

    var rows = new ObjectMapper().readTree(run.out()).at("/rows");
    assertThat(rows).hasSize(2);
    assertThat(rows.at("/0/gangs/0").textValue()).isEqualTo("train/old");
    assertThat(rows.at("/1/kept").intValue()).isEqualTo(6);
  }

  @Test
  void theOnlyQueueHasWhatIsInUseAndKept() throws IOException {
    var run = Views.run(new QueuesCommand(), "--snapshot", cluster().in(folder));

    assertThat(run.code()).as(run.err()).isZero();
    assertThat(run.out().lines().map(line -> line.replaceAll(" +", " ")))
        .containsExactly(
            "QUEUE OWN USED BORROWED LENT LIMIT ASKED WAITING", "default - 11 0 0 - 0 0");
  }
}
