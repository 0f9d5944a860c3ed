package io.muster.controller.kinds.etoperator.launcher;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.muster.controller.core.job.ResizeRequest.Script;
import io.muster.controller.kinds.etoperator.api.TrainingJob;
import io.muster.controller.kinds.etoperator.job.EtOperatorNames;
import io.muster.controller.kinds.etoperator.job.TrainingJobSpecMapper;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Works in the container of a launcher, with nothing but a POSIX shell and /proc. Every call is
 * bounded in time. Safe for concurrent use.
 */
public final class LauncherShell {

  private static final Duration LIMIT = Duration.ofSeconds(15);
  private static final Duration SCRIPT_MARGIN = Duration.ofSeconds(10);
  private static final int LONGEST_OUTPUT = 400;
  private static final int LONGEST_ARGUMENT = 65_536;

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
    replace(job, "/etc/edl/hostfile", TrainingJobDependents.hostfile(job, workers));
    replace(job, "/job/hostfile", TrainingJobDependents.deepspeedHostfile(job, workers));
  }

  private void replace(TrainingJob job, String path, String content) throws ShellException {
    // Written beside and moved: whoever reads it once a second never sees half of it.
    var command =
        "printf '%%s' \"$@\" > %1$s.new && chmod 644 %1$s.new && mv -f %1$s.new %1$s && cat %1$s"
            .formatted(path);
    var written = run(job, command, pieces(content), LIMIT);
    if (!written.equals(content)) {
      throw new ShellException(path + " does not hold what was written to it");
    }
  }

  /** Linux takes no argument of 128 KiB or more. The text is one byte a character. */
  static List<String> pieces(String text) {
    return IntStream.iterate(0, at -> at < text.length(), at -> at + LONGEST_ARGUMENT)
        .mapToObj(at -> text.substring(at, Math.min(text.length(), at + LONGEST_ARGUMENT)))
        .toList();
  }

  /** Which of the workers some process of the launcher reaches out to. */
  Map<String, Boolean> attached(TrainingJob job, List<String> workers) throws ShellException {
    return attached(run(job, PROBE, List.of(), LIMIT), workers);
  }

  /** The same of the launcher's processes as printed, a command line each. */
  static Map<String, Boolean> attached(String processes, List<String> workers) {
    var starters =
        processes
            .lines()
            .map(line -> Set.copyOf(Arrays.asList(line.trim().split("\\s+"))))
            .filter(words -> words.stream().anyMatch(LauncherShell::reachesOut))
            .toList();
    var found = new HashMap<String, Boolean>();
    workers.forEach(worker ->
        found.put(
            worker,
            starters.stream()
                .flatMap(Set::stream)
                .anyMatch(word -> word.equals(worker) || word.endsWith("@" + worker))));
    return found;
  }

  /** Launchers call ssh by its name or, as OpenMPI does, by its path. */
  private static boolean reachesOut(String word) {
    return word.equals("ssh") || word.endsWith("/ssh") || word.equals("/etc/mpi/kubexec.sh");
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
        "%stimeout %d sh %s %s"
            .formatted(exports, timeout.toSeconds(), quoted(script.path()), quoted(list));
    run(job, command, List.of(), timeout.plus(SCRIPT_MARGIN));
  }

  private static String quoted(String text) {
    return "'" + text.replace("'", "'\\''") + "'";
  }

  private String run(TrainingJob job, String command, List<String> arguments, Duration limit)
      throws ShellException {
    var output = new ByteArrayOutputStream();
    var errors = new ByteArrayOutputStream();
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
            .writingOutput(output)
            .writingError(errors)
            .exec(
                Stream.concat(Stream.of("sh", "-c", command, "sh"), arguments.stream())
                    .toArray(String[]::new))) {
      int code = running.exitCode().get(limit.toMillis(), TimeUnit.MILLISECONDS);
      if (code != 0) {
        throw new ShellException(
            "exit code %d: %s".formatted(code, shortened(errors.toString(StandardCharsets.UTF_8))));
      }
      return output.toString(StandardCharsets.UTF_8);
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

  private static String shortened(String text) {
    var line = text.strip().replace('\n', ' ');
    return line.length() > LONGEST_OUTPUT ? line.substring(0, LONGEST_OUTPUT) : line;
  }
}
