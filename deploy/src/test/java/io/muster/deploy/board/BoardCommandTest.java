package io.muster.deploy.board;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.deploy.board.http.Desktop;
import io.muster.sandbox.Await;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

final class BoardCommandTest {

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String SNAPSHOT = "docs/images/board-snapshot.json";

  private final LinkedBlockingQueue<List<String>> started = new LinkedBlockingQueue<>();

  /** Until it has printed its last sentence; ends it then. */
  private String printed(Desktop.Programs programs, String... more) throws InterruptedException {
    var text = new StringWriter();
    var line =
        new CommandLine(new BoardCommand(new Desktop("Linux", Map.of("DISPLAY", ":0"), programs)))
            .setOut(new PrintWriter(text))
            .setErr(new PrintWriter(Writer.nullWriter()));
    var arguments = new ArrayList<>(List.of("--snapshot", SNAPSHOT));
    arguments.addAll(List.of(more));
    var running = Thread.ofVirtual().start(() -> line.execute(arguments.toArray(String[]::new)));
    Await.until("the address", SOON, () -> text.toString().contains("Ctrl-C"));
    // It is waiting to be interrupted, so what it does before has been done.
    Await.until("it to serve", SOON, () -> running.getState() == Thread.State.WAITING);
    running.interrupt();
    running.join();
    return text.toString();
  }

  @Test
  void thePrintedAddressIsShown() throws InterruptedException {
    var printed = printed(started::add);

    var command = started.poll(SOON.toSeconds(), TimeUnit.SECONDS);
    assertThat(command).first().isEqualTo("xdg-open");
    assertThat(printed).startsWith("open " + command.getLast() + "\n");
  }

  @Test
  void noBrowserIsOpenedForThoseWhoSaySo() throws InterruptedException {
    assertThat(printed(started::add, "--no-open")).contains("open http://127.0.0.1:");

    assertThat(started).isEmpty();
  }
}
