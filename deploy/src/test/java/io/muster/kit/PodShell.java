package io.muster.kit;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.ExecWatch;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs {@code sh -c} in a pod's container through the API server. Immutable. */
record PodShell(KubernetesClient client, String namespace, String pod) {

  private static final Duration LIMIT = Duration.ofSeconds(10);

  /** How it ended, and what it printed on standard output. */
  record Result(int exitCode, String output) {}

  Result run(String command) throws IOException {
    return run(command, "");
  }

  /** Standard input does not end: a command has to know how much it reads. */
  Result run(String command, String input) throws IOException {
    var output = new ByteArrayOutputStream();
    try (ExecWatch exec = start(output, command)) {
      exec.getInput().write(input.getBytes(StandardCharsets.UTF_8));
      exec.getInput().flush();
      int code = exec.exitCode().get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
      return new Result(code, output.toString(StandardCharsets.UTF_8));
    } catch (ExecutionException | TimeoutException e) {
      throw new AssertionError("exec of " + command + " has no end", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  /** The caller closes it. */
  ExecWatch start(ByteArrayOutputStream output, String command) {
    return client
        .pods()
        .inNamespace(namespace)
        .withName(pod)
        .redirectingInput()
        .writingOutput(output)
        .exec("sh", "-c", command);
  }

  /** Replaces the hosts as an operator should: whole or not at all. */
  void writeHosts(String... hosts) throws IOException {
    var content = new StringBuilder();
    for (String host : hosts) {
      content.append(host).append(":1\n");
    }
    var command =
        "head -c %d > /etc/edl/.hostfile.new && mv -f /etc/edl/.hostfile.new /etc/edl/hostfile"
            .formatted(content.length());
    assertThat(run(command, content.toString()).exitCode()).isZero();
    assertThat(run("cat /etc/edl/hostfile").output()).isEqualTo(content.toString());
  }

  /** Every process of the container, one command line each. */
  String processes() throws IOException {
    return run("for f in /proc/[0-9]*/cmdline; do tr '\\0' ' ' < \"$f\"; echo; done").output();
  }
}
