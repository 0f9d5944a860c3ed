package io.muster.controller.kinds.etoperator.launcher;

import java.io.OutputStream;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Reads which workers the processes of a launcher reach out to, from their command lines as they
 * are printed, one a line, of which the end of a very long one is not read. Safe for concurrent
 * use.
 */
final class ReachedWorkers extends OutputStream {

  /** Whom it reaches out to a process is told before what to do there. */
  private static final int LONGEST_LINE = 65_536;

  private final Set<String> workers;
  private final Set<String> reached = new HashSet<>();
  private final FirstBytes line = new FirstBytes(LONGEST_LINE);

  ReachedWorkers(List<String> workers) {
    this.workers = Set.copyOf(workers);
  }

  @Override
  public synchronized void write(int one) {
    if (one == '\n') {
      endLine();
    } else {
      line.write(one);
    }
  }

  @Override
  public synchronized void write(byte[] bytes, int from, int length) {
    for (int at = from; at < from + length; at++) {
      write(bytes[at]);
    }
  }

  private void endLine() {
    var words = Arrays.asList(line.text().trim().split("\\s+"));
    line.clear();
    if (words.stream().anyMatch(ReachedWorkers::reachesOut)) {
      words.stream()
          .map(word -> word.substring(word.lastIndexOf('@') + 1))
          .filter(workers::contains)
          .forEach(reached::add);
    }
  }

  /** Launchers call ssh by its name or, as OpenMPI does, by its path. */
  private static boolean reachesOut(String word) {
    return word.equals("ssh") || word.endsWith("/ssh") || word.equals("/etc/mpi/kubexec.sh");
  }

  /** Of each worker whether one of the processes reaches out to it, once all is printed. */
  synchronized Map<String, Boolean> found() {
    endLine();
    return workers.stream().collect(Collectors.toMap(Function.identity(), reached::contains));
  }
}
