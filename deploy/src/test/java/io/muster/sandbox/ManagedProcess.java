package io.muster.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * One process of a sandbox, which may be started, killed and started again. It writes its own pid
 * file before it becomes the program it is meant to be, so no moment exists in which it runs and is
 * not recorded, even if the starting JVM is killed. Safe for concurrent use.
 */
public final class ManagedProcess {

  private static final Duration EXIT_LIMIT = Duration.ofSeconds(20);
  private static final String RECORD_AND_BECOME =
      "echo $$ > \"$0.new\" && mv \"$0.new\" \"$0\" && exec \"$@\"";

  private final String name;
  private final StateDirectory state;
  private final List<String> command;
  private volatile Optional<Process> process = Optional.empty();

  ManagedProcess(String name, StateDirectory state, List<String> command) {
    this.name = name;
    this.state = state;
    this.command = List.copyOf(command);
  }

  public synchronized void start() {
    if (isAlive()) {
      throw new IllegalStateException(name + " is running already");
    }
    var line = new ArrayList<>(List.of("/bin/sh", "-c", RECORD_AND_BECOME));
    line.add(state.pidFile(name).toString());
    line.addAll(command);
    var builder =
        new ProcessBuilder(line)
            .redirectErrorStream(true)
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
            .directory(state.root().toFile());
    // A proxy of the surroundings must not stand between processes on loopback.
    builder.environment().put("NO_PROXY", "127.0.0.1,localhost");
    builder.environment().put("no_proxy", "127.0.0.1,localhost");
    try {
      process = Optional.of(builder.start());
    } catch (IOException e) {
      throw new SandboxException(name + " cannot be started: " + e.getMessage(), e);
    }
  }

  /** SIGKILL, and wait for the exit; nothing to do if it does not run. */
  public synchronized void kill() {
    process.ifPresent(running -> {
      running.destroyForcibly();
      awaitExit(EXIT_LIMIT);
    });
    forget();
  }

  /** SIGTERM, and wait for the exit. */
  public synchronized void terminate(Duration limit) {
    process.ifPresent(running -> {
      running.destroy();
      awaitExit(limit);
    });
    forget();
  }

  /** SIGSTOP: it keeps its connections and answers nothing until {@link #resume}. */
  public void freeze() {
    signal("STOP");
  }

  /** SIGCONT. */
  public void resume() {
    signal("CONT");
  }

  public boolean isAlive() {
    return process.map(Process::isAlive).orElse(false);
  }

  /** How it ended, once it has; 128 and the signal's number if a signal ended it. */
  public OptionalInt exitCode() {
    return process
        .filter(ended -> !ended.isAlive())
        .map(ended -> OptionalInt.of(ended.exitValue()))
        .orElse(OptionalInt.empty());
  }

  public long pid() {
    return process
        .map(Process::pid)
        .orElseThrow(() -> new IllegalStateException(name + " was never started"));
  }

  public String name() {
    return name;
  }

  /** Everything it printed, over all its starts. */
  public Path log() {
    return state.log(name);
  }

  /** Fails with the last words of the process if it has ended. */
  void requireAlive() {
    if (!isAlive()) {
      throw new SandboxException(name + " ended early: " + state.lastWords(name));
    }
  }

  private void awaitExit(Duration limit) {
    Await.until("the end of " + name, limit, () -> !isAlive());
  }

  private void forget() {
    try {
      Files.deleteIfExists(state.pidFile(name));
    } catch (IOException e) {
      throw new SandboxException("The pid file of " + name + " cannot be removed.", e);
    }
  }

  private void signal(String signal) {
    var result =
        Command.run(
            Duration.ofSeconds(5),
            List.of("/bin/sh", "-c", "kill -" + signal + " \"$0\"", Long.toString(pid())));
    if (result.exitCode() != 0) {
      throw new SandboxException(name + " did not take SIG" + signal + ".");
    }
  }
}
