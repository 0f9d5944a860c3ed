package io.muster.simulator;

import java.io.Console;
import java.io.PrintStream;
import java.util.Locale;
import java.util.Optional;
import java.util.function.IntConsumer;

/** How far a replay has come, on standard error where that is a terminal. Not thread-safe. */
final class ProgressBar implements IntConsumer {

  private static final int WIDTH = 40;
  private static final int PERCENT = 100;

  private final String label;
  private final int jobs;
  private final Optional<PrintStream> terminal;
  private int shown = -1;

  ProgressBar(String label, int jobs) {
    this.label = label;
    this.jobs = Math.max(1, jobs);
    terminal =
        Optional.ofNullable(System.console()).filter(Console::isTerminal).map(_ -> System.err);
  }

  @Override
  public void accept(int ended) {
    int percent = (int) ((long) PERCENT * ended / jobs);
    if (percent != shown) {
      shown = percent;
      terminal.ifPresent(stream -> {
        stream.print(text(ended, percent));
        stream.flush();
      });
    }
  }

  private String text(int ended, int percent) {
    int full = WIDTH * percent / PERCENT;
    return String.format(
        Locale.ROOT,
        "\r%s [%s%s] %d %%, %,d of %,d jobs have ended",
        label,
        "#".repeat(full),
        " ".repeat(WIDTH - full),
        percent,
        ended,
        jobs);
  }

  void end() {
    terminal.ifPresent(PrintStream::println);
  }
}
