package io.muster.deploy.console;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.deploy.config.ApiRefusal;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Serial;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * A command that answers on standard output, and says on standard error what keeps it from that.
 * Confined to the thread that runs it.
 */
public abstract class ConsoleCommand implements Callable<Integer> {

  /** As a shell tells of a program that SIGPIPE ended. */
  private static final int CLOSED_PIPE = 141;

  private static final Path STANDARD_OUTPUT = Path.of("/proc/self/fd/1");

  @Spec private CommandSpec spec;

  /** Keeps a command from answering; the message says why, and the way out. */
  public static class NoAnswerException extends Exception {

    @Serial private static final long serialVersionUID = 1;

    protected NoAnswerException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  @Override
  public final Integer call() throws InterruptedException, IOException {
    try {
      int code = run();
      out().flush();
      // System.out swallows what its file throws, and tells it by this alone.
      boolean isLost = out().checkError() || System.out.checkError();
      return isLost ? lost() : code;
    } catch (NoAnswerException e) {
      return complain(e.getMessage());
    } catch (KubernetesClientException e) {
      return complain(ApiRefusal.sentence(e));
    }
  }

  /** A full disk is told; who closes a pipe, as {@code head} does, wants no more. */
  private int lost() {
    return isPipe()
        ? CLOSED_PIPE
        : complain("standard output cannot be written: what is there is not the whole answer");
  }

  private static boolean isPipe() {
    try {
      return Files.readSymbolicLink(STANDARD_OUTPUT).toString().startsWith("pipe:");
    } catch (IOException | RuntimeException _) {
      return false;
    }
  }

  /** Does what the command is for, and tells the exit code. */
  protected abstract int run() throws NoAnswerException, InterruptedException, IOException;

  protected final CommandLine line() {
    return spec.commandLine();
  }

  /** Where the answer goes. */
  protected final PrintWriter out() {
    return line().getOut();
  }

  /** Says something to the user that is no part of the answer. */
  protected final void warn(String sentence) {
    line().getErr().println("muster: " + Legible.line(sentence));
  }

  /** Says why there is no answer, and tells the exit code for that. */
  protected final int complain(String sentence) {
    warn(sentence);
    return CommandLine.ExitCode.USAGE;
  }
}
