package io.muster.sandbox;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The command behind {@code deploy/sandbox/sandbox}. Exit codes: 0 done, 1 not done, 2 wrong usage
 * or a tool that is missing on the machine.
 */
@Command(
    name = "sandbox",
    description = "A Kubernetes control plane with fake GPU nodes on this machine.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "(up | down | status | nodes | kubectl)")
final class Main {

  private static final int NOT_DONE = 1;
  private static final int TOOL_MISSING = 2;
  private static final String SCRIPT = "deploy/sandbox/sandbox";

  private final Layout layout = Layout.current();
  private final StateDirectory state = new StateDirectory(layout.commandState());

  private Main() {}

  public static void main(String[] arguments) {
    int code;
    try {
      code =
          new CommandLine(new Main())
              .setCaseInsensitiveEnumValuesAllowed(true)
              .setExecutionExceptionHandler((e, line, parsed) -> explain(e))
              .execute(arguments);
    } catch (SandboxException e) {
      code = explain(e);
    }
    System.exit(code);
  }

  @Command(
      description = "Starts it and makes nodes; what a killed predecessor left is removed.",
      mixinStandardHelpOptions = true)
  int up(
      @Option(names = "--bare", description = "A plain kube-scheduler, without Muster.")
          boolean bare,
      @Option(names = "--nodes", defaultValue = "4", description = "How many (${DEFAULT-VALUE}).")
          int nodes,
      @Option(
              names = "--shape",
              defaultValue = "gpu8",
              description = "One of ${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}).")
          NodeShape shape) {
    if (isUp()) {
      var ended = state.ended();
      Console.say(
          ended.isEmpty()
              ? "is up already."
              : "is up, but %s has ended; stop it with %s down, then start it again."
                  .formatted(String.join(", ", ended), SCRIPT));
      explainUse();
      return ended.isEmpty() ? 0 : NOT_DONE;
    }
    var options = bare ? SandboxOptions.bare(state) : SandboxOptions.withMuster(state);
    try (var sandbox = Sandbox.start(layout, options)) {
      sandbox.nodes().add(NodeRequest.of(shape.label(), nodes, shape));
      sandbox.detach();
    }
    Console.say(
        "is up with %d %s node%s%s."
            .formatted(
                nodes, shape.label(), nodes == 1 ? "" : "s", bare ? ", without Muster" : ""));
    explainUse();
    return 0;
  }

  @Command(
      description = "Stops what up started, and nothing else.",
      mixinStandardHelpOptions = true)
  int down() {
    try (var lock = state.lock()) {
      int killed = lock.isHeld() ? state.killAll() : 0;
      state.unmarkReady();
      Console.say(killed == 0 ? "was not up." : "is down: " + killed + " processes ended.");
    }
    return 0;
  }

  @Command(
      description = "Says what runs; exit code 1 unless all of it does.",
      mixinStandardHelpOptions = true)
  int status() {
    if (!isUp()) {
      Console.say("is not up; start it with " + SCRIPT + " up.");
      return NOT_DONE;
    }
    try (var client = client()) {
      Console.say("is up with " + client.nodes().list().getItems().size() + " nodes.");
    }
    boolean allRun = true;
    for (String process : state.recorded()) {
      boolean runs = state.isRunning(process);
      allRun &= runs;
      System.out.println(process + (runs ? " runs" : " has ended"));
    }
    explainUse();
    return allRun ? 0 : NOT_DONE;
  }

  @Command(description = "Adds nodes.", mixinStandardHelpOptions = true)
  int nodes(
      @Option(names = "--add", required = true, description = "How many.") int count,
      @Option(
              names = "--shape",
              defaultValue = "gpu8",
              description = "One of ${COMPLETION-CANDIDATES} (${DEFAULT-VALUE}).")
          NodeShape shape,
      @Option(names = "--prefix", required = true, description = "Of their names.") String prefix,
      @Option(names = "--label", description = "key=value; may be repeated.")
          Map<String, String> labels) {
    if (!isUp()) {
      throw new SandboxException("The sandbox is not up; start it with " + SCRIPT + " up.");
    }
    try (var client = client()) {
      var all = labels == null ? Map.<String, String>of() : new HashMap<>(labels);
      var names = new Nodes(client).add(NodeRequest.of(prefix, count, shape).labelled(all));
      Console.say("added " + names.size() + (names.size() == 1 ? " node." : " nodes."));
    }
    return 0;
  }

  private boolean isUp() {
    return Files.exists(state.readyMark())
        && List.of(
                Program.ETCD,
                Program.APISERVER,
                Program.CONTROLLER_MANAGER,
                Program.SCHEDULER,
                Program.KWOK)
            .stream()
            .allMatch(program -> state.isRunning(program.file()));
  }

  private KubernetesClient client() {
    return new KubernetesClientBuilder()
        .withConfig(Config.fromKubeconfig(state.kubeconfig().toFile()))
        .build();
  }

  private void explainUse() {
    Console.say("kubeconfig: " + state.kubeconfig());
    Console.say("use it:     " + SCRIPT + " kubectl get nodes");
    Console.say("logs:       " + state.logs());
    Console.say("stop it:    " + SCRIPT + " down");
  }

  private static int explain(Exception e) {
    switch (e) {
      case MissingToolException missing -> {
        Console.say(missing.getMessage());
        return TOOL_MISSING;
      }
      case SandboxException known -> Console.say(known.getMessage());
      case KubernetesClientException refused ->
          Console.say("The API server refused: " + refused.getMessage());
      default -> Console.say("A fault of the sandbox itself: " + e);
    }
    return NOT_DONE;
  }
}
