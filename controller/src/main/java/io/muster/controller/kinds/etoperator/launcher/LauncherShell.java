package io.muster.controller.kinds.etoperator.launcher;

import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.ExecListener;
import io.muster.controller.core.job.ResizeRequest.Script;
import io.muster.controller.kinds.etoperator.api.TrainingJob;
import io.muster.controller.kinds.etoperator.job.EtOperatorNames;
import io.muster.controller.kinds.etoperator.job.TrainingJobSpecMapper;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Works in the container of a launcher, with nothing but a POSIX shell and /proc. Every call is
 * bounded in time, and in what is read and kept of what is printed there. Safe for concurrent use.
 */
public final class LauncherShell {

  private static final Duration LIMIT = Duration.ofSeconds(15);
  private static final Duration SCRIPT_MARGIN = Duration.ofSeconds(10);
  private static final int LONGEST_OUTPUT = 400;
  private static final int MOST_ERRORS = 4096;
  private static final int LONGEST_ARGUMENT = 65_536;

  /** What is printed beyond that nobody waits for; a host list has less. */
  private static final int MOST_PRINTED = 1 << 20;

  /** Command lines of as many processes as there may be workers. */
  private static final int MOST_PROBED = 64 << 20;

  private static final String PROBE =
      "for f in /proc/[0-9]*/cmdline; do tr '\\0' ' ' < \"$f\" 2>/dev/null; echo; done";

  private final KubernetesClient client;

  LauncherShell(KubernetesClient client) {
    this.client = client;
  }

  /** The launcher could not be reached, or what ran there failed. */
  static final class ShellException extends Exception {
    private static final long serialVersionUID = 1;

    ShellException(String message) {
      super(message);
    }

    ShellException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /** Has the launcher know these workers, and makes sure that it does. */
  void tell(TrainingJob job, List<String> workers) throws ShellException {
    var hosts = TrainingJobDependents.hostfile(job, workers);
    replace(job, "/etc/edl/hostfile", LauncherShell::replacing, hosts);
    var others = TrainingJobDependents.deepspeedHostfile(job, workers);
    replace(job, "/job/hostfile", LauncherShell::replacingIfThere, others);
  }

  private void replace(TrainingJob job, String path, UnaryOperator<String> command, String content)
      throws ShellException {
    var written = new FirstBytes(content.length() + 1);
    run(job, command.apply(path), pieces(content), LIMIT, new Printed(written, MOST_PRINTED));
    if (!written.text().equals(content)) {
      throw new ShellException(path + " does not hold what was written to it");
    }
  }

  /** Writes its arguments into that file, and prints what is in it then. */
  private static String replacing(String path) {
    // Written beside and moved: whoever reads it once a second never sees half of it.
    return "printf '%%s' \"$@\" > %1$s.new && chmod 644 %1$s.new && mv -f %1$s.new %1$s && cat %1$s"
        .formatted(path);
  }

  /** The same where the launcher has the folder: those of earlier et-operators may have none. */
  static String replacingIfThere(String path) {
    return "[ -d %s ] || { printf '%%s' \"$@\"; exit; }; ".formatted(path.replaceAll("/[^/]*$", ""))
        + replacing(path);
  }

  /** Linux takes no argument of 128 KiB or more. The text is one byte a character. */
  static List<String> pieces(String text) {
    return IntStream.iterate(0, at -> at < text.length(), at -> at + LONGEST_ARGUMENT)
        .mapToObj(at -> text.substring(at, Math.min(text.length(), at + LONGEST_ARGUMENT)))
        .toList();
  }

  /** Which of the workers some process of the launcher reaches out to. */
  Map<String, Boolean> attached(TrainingJob job, List<String> workers) throws ShellException {
    var reached = new ReachedWorkers(workers);
    run(job, PROBE, List.of(), LIMIT, new Printed(reached, MOST_PROBED));
    return reached.found();
  }

  /** Runs a user's script with the workers that come or go. */
  void script(TrainingJob job, Script script, List<String> workers, Duration timeout)
      throws ShellException {
    int slots = TrainingJobSpecMapper.slots(job);
    var exports =
        script.variables().stream()
            .map(variable -> "export " + variable.name() + "=" + quoted(variable.value()) + " && ")
            .collect(Collectors.joining());
    var list =
        workers.stream().map(worker -> worker + ":" + slots).collect(Collectors.joining(","));
    var command =
        "%stimeout %d sh %s %s >/dev/null"
            .formatted(exports, timeout.toSeconds(), quoted(script.path()), quoted(list));
    var printed = new Printed(OutputStream.nullOutputStream(), MOST_PRINTED);
    run(job, command, List.of(), timeout.plus(SCRIPT_MARGIN), printed);
  }

  private static String quoted(String text) {
    return "'" + text.replace("'", "'\\''") + "'";
  }

  /**
   * Where what is printed goes.
   *
   * @param most bytes; with more the command has failed
   */
  private record Printed(OutputStream to, int most) {}

  private void run(
      TrainingJob job, String command, List<String> arguments, Duration limit, Printed output)
      throws ShellException {
    var errors = new FirstBytes(MOST_ERRORS);
    var ended = new ExecEnd();
    var excess = new CompletableFuture<Integer>();
    Runnable tooMuch = () -> excess.complete(ExecEnd.TOO_MUCH);
    var name = job.getMetadata().getName();
    var container =
        job.getSpec().etReplicaSpecs().launcher().template().getSpec().getContainers().getFirst();
    try (var running =
        client
            .pods()
            .inNamespace(job.getMetadata().getNamespace())
            .withName(EtOperatorNames.launcher(name))
            .inContainer(container.getName())
            .withReadyWaitTimeout(0)
            .writingOutput(new BoundedOutput(output.to(), output.most(), tooMuch))
            .writingError(new BoundedOutput(errors, MOST_PRINTED, tooMuch))
            .usingListener(ended)
            .exec(
                Stream.concat(Stream.of("sh", "-c", command, "sh"), arguments.stream())
                    .toArray(String[]::new))) {
      int code =
          running
              .exitCode()
              .applyToEither(excess, Function.identity())
              .get(limit.toMillis(), TimeUnit.MILLISECONDS);
      if (code != 0) {
        throw new ShellException(shortened(ended.described(code, errors.text())));
      }
    } catch (TimeoutException e) {
      throw new ShellException(
          "no answer from the launcher within %d s".formatted(limit.toSeconds()), e);
    } catch (ExecutionException | KubernetesClientException e) {
      throw new ShellException("the launcher cannot be reached: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ShellException("interrupted", e);
    }
  }

  /** Notes what the API server says of the end: a command that fails may have printed nothing. */
  static final class ExecEnd implements ExecListener {
    private static final int TIMED_OUT = 124;

    /** No exit code: what is run is left to itself. */
    static final int TOO_MUCH = Integer.MIN_VALUE;

    private volatile String message = "";

    @Override
    public void onExit(int code, Status status) {
      message = status == null ? "" : Objects.requireNonNullElse(status.getMessage(), "");
    }

    @Override
    public void onClose(int code, String reason) {
      // The exit code says whether it ended before.
    }

    /** Of a command that failed. */
    String described(int code, String errors) {
      var outcome =
          switch (code) {
            case TIMED_OUT -> "exit code 124, which is that of a script that ran into its timeout";
            case TOO_MUCH -> "more was printed than is read";
            case -1 -> "exit code unknown" + (message.isBlank() ? "" : " (" + message + ")");
            default -> "exit code " + code;
          };
      return errors.isBlank() ? outcome : outcome + ": " + errors;
    }
  }

  private static String shortened(String text) {
    var line = text.strip().replace('\n', ' ');
    return line.length() > LONGEST_OUTPUT ? line.substring(0, LONGEST_OUTPUT) : line;
  }
}
