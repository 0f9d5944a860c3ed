package io.muster.sandbox;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;

/**
 * A start of Muster before all others of a test run, of which the JVM keeps what it has learned:
 * its classes as they are linked. Some hundred processes follow, and each takes a good third less
 * CPU time to start. The tests go on without where it fails.
 */
final class FirstStart {

  /** The system property that asks for it: it pays where many start. */
  private static final String ASKED = "muster.sandbox.learn";

  private static final Duration LIMIT = Duration.ofMinutes(2);

  private FirstStart() {}

  /** Does nothing where nobody asks for it, or what is known is of this jar. */
  static void learn(Layout layout) {
    if (!Boolean.getBoolean(ASKED) || !layout.learned().isEmpty()) {
      return;
    }
    try {
      play(layout);
    } catch (SandboxException | KubernetesClientException | UncheckedIOException e) {
      Console.say("the JVM has learned nothing of Muster: " + e.getMessage());
    }
  }

  private static void play(Layout layout) {
    var state = new StateDirectory(layout.deploy().resolve("target/sandbox/first-start"));
    var cache = AotCache.at(layout.aotCache());
    try (var sandbox = Sandbox.start(layout, SandboxOptions.bare(state))) {
      var muster = sandbox.startMuster(MusterOptions.DEFAULT.jvm(cache.option()));
      sandbox.scheduler().kill();
      sandbox.scheduler().start(Optional.of(sandbox.extender()));
      startGang(sandbox);
      cache.endAndKeep(muster, LIMIT);
    }
  }

  private static void startGang(Sandbox sandbox) {
    sandbox.nodes().add(NodeRequest.of("first", 1, NodeShape.GPU4));
    var gang = sandbox.layout().deploy().resolveSibling("examples/gang/first-gang.yaml");
    sandbox.kubectl("apply", "-f", gang.toString());
    Await.until(
        "the first gang to start",
        LIMIT,
        () ->
            sandbox
                .kubectl("get", "gangs", "-o", "jsonpath={.items[*].status.phase}")
                .equals("Running"));
  }
}
