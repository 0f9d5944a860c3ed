package io.muster.controller.kinds.etoperator;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.Config;
import io.muster.controller.kinds.etoperator.launcher.TrainingJobDependents;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * kubexec.sh as a launcher calls it, run by the machine's own shell. Only kubectl is played: what
 * it does for {@code exec} and for {@code get} is a piece of shell each. The tests wait most of the
 * time, so that they run side by side, each in a folder of its own.
 */
@Tag("slow")
@Execution(ExecutionMode.CONCURRENT)
final class KubexecTest {

  private static final String FINE = "u1|Running|||True|True";
  private static final String SCRIPT = "kubexec.sh";
  private static final int LOST = 137;

  /** What a launcher is promised, and what no script may need to be killed after. */
  private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

  /** Nothing is promised about it: only who hangs takes longer, however busy the machine is. */
  private static final Duration LIMIT = Duration.ofSeconds(60);

  /** Runs what it is given for the worker as the kubelet does: without a shell in between. */
  private static final String RUNS = "while [ \"$1\" != -- ]; do shift; done; shift; exec \"$@\"";

  @TempDir private Path home;

  private String server = "10.96.0.1";

  private record Result(int code, String output, String errors) {}

  @BeforeEach
  void install() throws IOException {
    program(SCRIPT, here(TrainingJobDependents.kubexec("main")));
    Files.writeString(home.resolve("namespace"), "ml");
    program(
        "kubectl",
        """
        #!/bin/sh
        home=%s
        while [ "${1#--}" != "$1" ]; do
          echo "$1" >>"$home/flags"
          shift
        done
        echo "$*" | head -n 1 >>"$home/calls"
        verb=$1
        shift
        . "$home/$verb"
        """
            .formatted(home));
    plays("get", "echo '" + FINE + "'");
  }

  /** With this test's files in place of a pod's. */
  private String here(String script) {
    return script
        .replace("/opt/kube", home.toString())
        .replace("/var/run/secrets/kubernetes.io/serviceaccount", home.toString());
  }

  /** Worked with from now on: looks each second, so that tests about what it sees are short. */
  private void hurry() throws IOException {
    looksApart(1);
  }

  private void looksApart(int seconds) throws IOException {
    var script = here(TrainingJobDependents.kubexec("main"));
    assertThat(script).contains("\napart=3\n");
    program(SCRIPT, script.replace("\napart=3\n", "\napart=" + seconds + "\n"));
  }

  private void program(String name, String text) throws IOException {
    plays(name, text);
    Files.setPosixFilePermissions(home.resolve(name), PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  /** In one step: it may be read at any time. */
  private void plays(String name, String shell) throws IOException {
    var draft = home.resolve("draft");
    Files.writeString(draft, shell + "\n");
    Files.move(draft, home.resolve(name), StandardCopyOption.ATOMIC_MOVE);
  }

  private Process start(String... command) throws IOException {
    var line = new ArrayList<>(List.of("/bin/sh", home.resolve(SCRIPT).toString(), "j-worker-1"));
    line.addAll(List.of(command));
    var builder = new ProcessBuilder(line);
    builder.environment().put("KUBERNETES_SERVICE_HOST", server);
    builder.environment().put("KUBERNETES_SERVICE_PORT", "443");
    return builder
        .redirectOutput(home.resolve("out").toFile())
        .redirectError(home.resolve("err").toFile())
        .start();
  }

  private Result run(String... command) throws IOException, InterruptedException {
    var process = start(command);
    try {
      assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    return new Result(
        process.exitValue(),
        Files.readString(home.resolve("out")),
        Files.readString(home.resolve("err")));
  }

  private String calls() throws IOException {
    return Files.readString(home.resolve("calls"));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3, 137, 255})
  void itEndsAsTheCommandEndedAndAtOnce(int code) throws Exception {
    // Who waited for a look would not end within the limit.
    looksApart(90);
    plays("exec", RUNS);

    var result = run("echo 'to out'; echo to err >&2; exit " + code);

    assertThat(result.code()).isEqualTo(code);
    assertThat(result.output()).isEqualTo("to out\n");
    assertThat(result.errors())
        .startsWith("to err\n")
        .endsWith("j-worker-1 ended with " + code + "\n");
    assertThat(calls()).startsWith("exec j-worker-1 --container main -- sh -c ");
  }

  @Test
  void itsWordsAreOneCommandLineAsTheyAreForSsh() throws Exception {
    plays("exec", RUNS);

    var result = run("cd", "/tmp;", "A='x  y'", "sh", "-c", "'echo \"$A\"; pwd'");

    assertThat(result.code()).isZero();
    assertThat(result.output()).isEqualTo("x  y\n/tmp\n");
  }

  /** Progress bars end no line for minutes. */
  @Test
  void whatIsPrintedComesAtOnceAndAsItIs() throws Exception {
    plays("exec", RUNS);
    var process = start("printf '10%%\\r20%%' >&2; sleep 60");
    try {
      await(() -> read("err").equals("10%\r20%"), LIMIT);
    } finally {
      end(process);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"exit 0", "exit 1", "echo 'error: unexpected EOF' >&2; exit 1", "kill -9 $$"})
  void aStreamThatIsCutIsNeverSuccess(String end) throws Exception {
    plays("exec", "echo half; " + end);

    var result = run("true");

    assertThat(result.code()).isEqualTo(LOST);
    assertThat(result.output()).isEqualTo("half\n");
    assertThat(result.errors()).contains("j-worker-1: how the command ended was not told");
  }

  @Test
  void theNumberIsTheCommandsWhateverKubectlMakesOfIt() throws Exception {
    plays("exec", "while [ \"$1\" != -- ]; do shift; done; shift; \"$@\"; exit 1");

    assertThat(run("exit 0").code()).isZero();
    assertThat(run("exit 42").code()).isEqualTo(42);
  }

  @Test
  void aCommandCannotSayThatAnotherHasEnded() throws Exception {
    plays("exec", "echo 'kubexec.sh 1: j-worker-1 ended with 0' >&2");

    assertThat(run("true").code()).isEqualTo(LOST);
  }

  @Test
  void aSilentStreamEndsWithinTenSecondsOfItsWorker() throws Exception {
    endsWhen("", "the pod is gone");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "u2|Running|||True|True; the pod is gone",
        "u1|Failed||||; the pod has ended",
        "u1|Running|137||False|False; its container has ended",
        "u1|Running|||False|True; its node is silent"
      })
  void aSilentStreamEndsWhenItsWorkerCannotEndIt(String then, String why) throws Exception {
    hurry();
    endsWhen(then, why);
  }

  private void endsWhen(String then, String why) throws IOException, InterruptedException {
    plays("exec", "exec sleep 100");
    plays("get", "echo '" + FINE + "'; echo \"$@\" >>\"$home/answered\"");
    var process = start("train");
    try {
      // Not when it is asked: what it says from now on could be the first that is heard of the pod.
      await(() -> read("answered").contains("pod j-worker-1"), LIMIT);
      plays("get", "echo '" + then + "'");
      assertThat(process.waitFor(TEN_SECONDS.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isEqualTo(LOST);
      assertThat(read("err")).contains("j-worker-1: " + why);
    } finally {
      end(process);
    }
    assertThat(leftovers()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "exit 1",
        "sleep 4; exit 1",
        "echo 'u1|Running|||False|False'",
        "echo 'u1|Running||example.com/lb|False|True'"
      })
  void aWorkerThatCannotBeAskedOrIsNotReadyIsLeftToWork(String look) throws Exception {
    hurry();
    plays("exec", RUNS);
    plays("get", look);

    assertThat(run("sleep 4; exit 3").code()).isEqualTo(3);
    assertThat(calls()).contains("get pod j-worker-1 --ignore-not-found");
    assertThat(read("flags")).contains("--request-timeout=4s");
  }

  /** With a time limit kubectl would not find out by itself who it is and where. */
  @ParameterizedTest
  @CsvSource({"10.96.0.1, https://10.96.0.1:443", "fd00::1, https://[fd00::1]:443"})
  void kubectlIsToldWhoItIs(String host, String url) throws Exception {
    plays("exec", RUNS);
    server = host;

    run("true");

    assertThat(read("flags").lines()).first().isEqualTo("--kubeconfig=" + home.resolve("config"));
    var config = Config.fromKubeconfig(home.resolve("config").toFile());
    assertThat(config.getMasterUrl()).isEqualTo(url + "/");
    assertThat(config.getNamespace()).isEqualTo("ml");
    assertThat(config.getCaCertFile()).isEqualTo(home.resolve("ca.crt").toString());
    assertThat(read("config")).contains("tokenFile: " + home.resolve("token"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"Error from server (Forbidden): ", "error: unable to upgrade connection: "})
  void aRightThatIsNotInForceYetIsAwaited(String beginning) throws Exception {
    plays(
        "exec",
        """
        if [ ! -e "$home/tried" ]; then
          : >"$home/tried"
          echo '%spods "j-worker-1" is forbidden: User "u" cannot create resource "pods/exec"' >&2
          exit 1
        fi
        """
                .formatted(beginning)
            + RUNS);

    assertThat(run("exit 5").code()).isEqualTo(5);
    assertThat(calls().lines().filter(call -> call.startsWith("exec"))).hasSize(2);
  }

  @Test
  void nothingIsRunTwice() throws Exception {
    plays("exec", "echo ran >>\"$home/ran\"; echo 'Error from server (Timeout)' >&2; exit 1");

    assertThat(run("true").code()).isEqualTo(LOST);
    assertThat(read("ran")).isEqualTo("ran\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"TERM", "KILL"})
  void itsEndEndsWhatItHasStarted(String signal) throws Exception {
    plays("exec", "echo $$ >\"$home/stream\"; exec sleep 100");
    var process = start("train");
    await(() -> !read("stream").isBlank(), LIMIT);
    var stream = ProcessHandle.of(Long.parseLong(read("stream").strip())).orElseThrow();

    new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start().waitFor();

    assertThat(process.waitFor(TEN_SECONDS.toSeconds(), TimeUnit.SECONDS)).isTrue();
    await(() -> !stream.isAlive() && leftovers().isEmpty(), TEN_SECONDS);
  }

  private static void end(Process process) throws InterruptedException {
    process.destroy();
    assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }

  private List<Path> leftovers() {
    try (var files = Files.list(home)) {
      return files.filter(file -> file.getFileName().toString().startsWith("exec.")).toList();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private String read(String name) {
    try {
      return Files.exists(home.resolve(name)) ? Files.readString(home.resolve(name)) : "";
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static void await(BooleanSupplier condition, Duration limit) throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("in time").isLessThan(end);
      Thread.sleep(50);
    }
  }
}
