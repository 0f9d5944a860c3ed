package io.muster.bench;

import io.muster.sandbox.ManagedProcess;
import io.muster.sandbox.Sandbox;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Processes that only spin. Closing ends them, and so does the end of the sandbox; where this JVM
 * is killed itself, each sees that within a second and ends.
 */
final class BusyLoops implements AutoCloseable {

  static final String PREFIX = "busy-";

  /** The folder stands in the command line for the sandbox to know its own. */
  private static final String SPIN =
      "while kill -0 \"$1\" 2>/dev/null; do i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; done";

  private final List<ManagedProcess> loops;

  private BusyLoops(List<ManagedProcess> loops) {
    this.loops = List.copyOf(loops);
  }

  static BusyLoops start(Sandbox sandbox, int count) {
    var command =
        List.of(
            "/bin/sh",
            "-c",
            SPIN,
            sandbox.state().root().toString(),
            Long.toString(ProcessHandle.current().pid()));
    var started =
        new BusyLoops(
            IntStream.range(0, count).mapToObj(i -> sandbox.process(PREFIX + i, command)).toList());
    started.loops.forEach(ManagedProcess::start);
    return started;
  }

  /** How many spin now. */
  long running() {
    return loops.stream().filter(ManagedProcess::isAlive).count();
  }

  @Override
  public void close() {
    loops.forEach(ManagedProcess::kill);
  }
}
