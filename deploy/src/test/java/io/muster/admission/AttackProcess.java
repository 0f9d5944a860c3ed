package io.muster.admission;

import io.muster.admission.PortAttack.Kind;
import io.muster.sandbox.Await;
import io.muster.sandbox.ManagedProcess;
import io.muster.sandbox.Sandbox;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A {@link PortAttack} from a process of its own, whose processor time is what others leave: real
 * attackers bring their own machines. Closing it ends the attack.
 */
final class AttackProcess implements AutoCloseable {

  private static final Duration BEGUN = Duration.ofSeconds(60);

  private final ManagedProcess process;

  private AttackProcess(ManagedProcess process) {
    this.process = process;
  }

  /** Returns when the attack has begun. */
  static AttackProcess begin(Sandbox sandbox, Kind kind, int connections, URI target) {
    var java = Path.of(System.getProperty("java.home"), "bin", "java");
    var process =
        sandbox.process(
            "attack-%s-%d".formatted(kind, connections),
            List.of(
                "nice",
                "-n",
                "19",
                java.toString(),
                "-Xmx512m",
                "-Dstate=" + sandbox.state().root(),
                "-cp",
                classes(),
                PortAttack.class.getName(),
                kind.name(),
                Integer.toString(connections),
                target.toString()));
    process.start();
    var attack = new AttackProcess(process);
    Await.until("the attack to begin", BEGUN, () -> attack.acts() > 0);
    return attack;
  }

  /** It starts in another folder. */
  private static String classes() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(path -> Path.of(path).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }

  /** How often one of the connections has begun anew; 0 before the first has. */
  long acts() {
    try {
      return Files.readAllLines(process.log()).stream()
          .filter(line -> line.matches("\\d+"))
          .mapToLong(Long::parseLong)
          .max()
          .orElse(0);
    } catch (IOException e) {
      return 0;
    }
  }

  @Override
  public void close() {
    process.kill();
  }
}
