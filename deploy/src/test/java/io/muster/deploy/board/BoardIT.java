package io.muster.deploy.board;

import static org.assertj.core.api.Assertions.assertThat;

import io.muster.deploy.board.http.Browser;
import io.muster.e2e.GangManifest;
import io.muster.extender.kube.gang.Gang;
import io.muster.sandbox.Await;
import io.muster.sandbox.ManagedProcess;
import io.muster.sandbox.NodeShape;
import io.muster.sandbox.Sandbox;
import io.muster.sandbox.SandboxExtension;
import io.muster.sandbox.TestSpace;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** {@code muster board} as its users run it, beside a real control plane. */
@ExtendWith(SandboxExtension.class)
final class BoardIT {

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Pattern ADDRESS = Pattern.compile("open (http://127\\.0\\.0\\.1:\\S+)");

  /** The command, until it is closed. */
  record Board(ManagedProcess process, String address) implements AutoCloseable {

    static Board start(Sandbox sandbox, TestSpace space, Path kubeconfig, String... more) {
      var command = new ArrayList<String>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(
          List.of("-XX:TieredStopAtLevel=1", "-Dsandbox=" + sandbox.state().file("board")));
      command.addAll(List.of("-jar", sandbox.musterJar().toString(), "board", "--no-open"));
      command.addAll(List.of("--kubeconfig", kubeconfig.toString(), "-n", space.namespace()));
      command.addAll(List.of(more));
      var process = sandbox.process("board-" + space.namespace(), command);
      process.start();
      Await.until(
          "the board to print its address",
          SOON,
          () -> address(process).isPresent() || !process.isAlive());
      return new Board(
          process, address(process).orElseThrow(() -> new AssertionError(log(process))));
    }

    private static Optional<String> address(ManagedProcess process) {
      return Optional.of(ADDRESS.matcher(log(process)))
          .filter(Matcher::find)
          .map(found -> found.group(1));
    }

    private static String log(ManagedProcess process) {
      try {
        return Files.readString(process.log());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public void close() {
      process.kill();
    }
  }

  private static String told(TestSpace space, String gang) {
    return Optional.ofNullable(
            space
                .client()
                .resources(Gang.class)
                .inNamespace(space.namespace())
                .withName(gang)
                .get())
        .flatMap(object -> Optional.ofNullable(object.getStatus()))
        .map(status -> status.phase() + ": " + status.message())
        .orElse("");
  }

  /** B1. */
  @Test
  void aGangIsFollowedFromItsWaitToItsStart(Sandbox sandbox, TestSpace space) {
    space.nodes(2, NodeShape.GPU1);
    var gang = GangManifest.of(space, "follow", 3);
    try (var board = Board.start(sandbox, space, sandbox.state().kubeconfig());
        var browser = Browser.open(1440, 900)) {
      browser.go(board.address());
      browser.awaitText("body", "live, as Muster says it");
      browser.goTo("#/gangs/%s/follow".formatted(space.namespace()));
      browser.awaitText("main", "there is no gang follow in namespace " + space.namespace());

      gang.create();
      Await.until(
          "Muster to say why it waits",
          SOON,
          () -> told(space, "follow").startsWith("Waiting: no room for 3 members together: "));
      browser.goTo("#/line?ns=" + space.namespace());
      Await.until(
          "the page to say the same, letter by letter",
          SOON,
          () ->
              browser.texts(".message").stream()
                  .anyMatch(message -> told(space, "follow").equals("Waiting: " + message)));

      space.nodes(1, NodeShape.GPU1);
      Await.until("the gang to run", SOON, () -> gang.running() == 3);
      browser.goTo("#/gangs/%s/follow".formatted(space.namespace()));
      browser.awaitText("main", "Running");
      browser.awaitText("main", "3 of at least 3 members bound");
      for (var pod : gang.stored()) {
        browser.awaitText("main", pod.getMetadata().getName());
        browser.awaitText("main", pod.getSpec().getNodeName());
      }
      assertThat(browser.complaints().stream().filter(line -> !line.contains("404"))).isEmpty();
    }
  }

  /** B10. */
  @Test
  void whoMayReadOneNamespaceSeesItsGangsAndWhatIsLeftOut(Sandbox sandbox, TestSpace space)
      throws IOException {
    space.nodes(1, NodeShape.GPU1);
    GangManifest.of(space, "mine", 2).create();
    Await.until(
        "Muster to say why it waits",
        SOON,
        () -> told(space, "mine").startsWith("Waiting: no room for 2 members together: "));
    var kubeconfig = memberOf(sandbox, space);
    try (var board = Board.start(sandbox, space, kubeconfig);
        var browser = Browser.open(1440, 900)) {
      browser.go(board.address());
      browser.awaitText("body", "nodes, queues and other namespaces: ");
      browser.awaitText(".message", "no room for 2 members together: ");
      assertThat(browser.texts(".gangcell")).isNotEmpty().allMatch(cell -> cell.contains("mine"));
    }
  }

  /** Somebody who may list and watch pods and gangs of that namespace, and nothing else. */
  private static Path memberOf(Sandbox sandbox, TestSpace space) throws IOException {
    var namespace = space.namespace();
    sandbox.kubectl("-n", namespace, "create", "serviceaccount", "looks");
    sandbox.kubectl(
        "-n",
        namespace,
        "create",
        "role",
        "looks",
        "--verb=get,list,watch",
        "--resource=pods,gangs.muster.io");
    sandbox.kubectl(
        "-n",
        namespace,
        "create",
        "rolebinding",
        "looks",
        "--role=looks",
        "--serviceaccount=" + namespace + ":looks");
    return Files.writeString(
        sandbox.state().file("looks-" + namespace + ".kubeconfig"),
        sandbox.kubeconfig(
            sandbox.server(),
            sandbox.kubectl("-n", namespace, "create", "token", "looks").strip()));
  }
}
