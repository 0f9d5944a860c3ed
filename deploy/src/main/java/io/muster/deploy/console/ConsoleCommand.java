package io.muster.deploy.console;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.deploy.config.ApiRefusal;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Serial;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * A command that answers on standard output, and says on standard error what keeps it from that.
 * Confined to the thread that runs it.
 */
public abstract class ConsoleCommand implements Callable<Integer> {

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
      // A full disk or a closed pipe is told by this alone.
      return out().checkError()
          ? complain("standard output cannot be written: what is there is not the whole answer")
          : code;
    } catch (NoAnswerException e) {
      return complain(e.getMessage());
    } catch (KubernetesClientException e) {
      return complain(ApiRefusal.sentence(e));
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
    line().getErr().println("muster: " + sentence);
  }

  /** Says why there is no answer, and tells the exit code for that. */
  protected final int complain(String sentence) {
    warn(sentence);
    return CommandLine.ExitCode.USAGE;
  }
}
