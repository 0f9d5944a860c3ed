package io.muster.bench;

import io.muster.sandbox.Await;
import io.muster.sandbox.SandboxException;
import io.muster.sandbox.StateDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * CPU seconds that each process of a sandbox and this one have used since they began. Immutable.
 */
record CpuTimes(Map<String, Double> seconds) {

  private static final String DRIVER = "bench";
  private static final double TICKS_PER_SECOND = 100;
  private static final Duration WINDOW = Duration.ofMillis(500);
  private static final double QUIET_CORES = 0.25;
  private static final Duration QUIET_LIMIT = Duration.ofSeconds(30);

  CpuTimes {
    seconds = Map.copyOf(seconds);
  }

  static CpuTimes now(StateDirectory state) {
    var seconds = new TreeMap<String, Double>();
    state.pids().forEach((name, pid) -> of(pid).ifPresent(used -> seconds.put(name, used)));
    of(ProcessHandle.current().pid()).ifPresent(used -> seconds.put(DRIVER, used));
    return new CpuTimes(seconds);
  }

  /** What was used since then. */
  CpuTimes since(CpuTimes before) {
    var used = new TreeMap<String, Double>();
    seconds.forEach((name, now) -> used.put(name, now - before.seconds.getOrDefault(name, 0.0)));
    return new CpuTimes(used);
  }

  double total() {
    return seconds.values().stream().mapToDouble(Double::doubleValue).sum();
  }

  /** Waits, for a while, until the processes of the sandbox have next to nothing to do. */
  static void awaitQuiet(StateDirectory state) {
    var last = new CpuTimes[] {now(state)};
    var at = new long[] {System.nanoTime()};
    Await.within(
        QUIET_LIMIT,
        () -> {
          if (System.nanoTime() - at[0] < WINDOW.toNanos()) {
            return false;
          }
          var current = now(state);
          double cores = current.since(last[0]).total() / ((System.nanoTime() - at[0]) / 1e9);
          last[0] = current;
          at[0] = System.nanoTime();
          return cores < QUIET_CORES;
        });
  }

  @Override
  public String toString() {
    return new TreeMap<>(seconds)
        .entrySet().stream()
            .map(
                entry -> "%s %.1f".formatted(entry.getKey().replace("kube-", ""), entry.getValue()))
            .collect(Collectors.joining(", "));
  }

  /** Resident memory of a process in MB. */
  static double residentMegabytes(long pid) {
    return megabytes(pid, "VmRSS:");
  }

  /** The most that it was since the process began. */
  static double highestResidentMegabytes(long pid) {
    return megabytes(pid, "VmHWM:");
  }

  private static double megabytes(long pid, String field) {
    try {
      return Files.readAllLines(Path.of("/proc", Long.toString(pid), "status")).stream()
          .filter(line -> line.startsWith(field))
          .mapToDouble(line -> Long.parseLong(line.replaceAll("\\D", "")) / 1024.0)
          .findFirst()
          .orElse(0);
    } catch (IOException e) {
      throw new SandboxException("The memory of process " + pid + " cannot be read.", e);
    }
  }

  private static Optional<Double> of(long pid) {
    try {
      var stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
      // The second field is the name in parentheses and may hold blanks; user time is the 14th.
      var fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      return Optional.of(
          (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_PER_SECOND);
    } catch (NoSuchFileException _) {
      return Optional.empty();
    } catch (IOException e) {
      throw new SandboxException("The times of process " + pid + " cannot be read.", e);
    }
  }
}
