package io.muster.deploy.certs;

import io.muster.certs.kube.SecretCertificateStore;
import io.muster.deploy.config.ClusterOptions;
import io.muster.deploy.config.Config;
import io.muster.deploy.config.Setting;
import io.muster.deploy.console.ConsoleCommand;
import io.muster.deploy.serve.ClusterAccess;
import io.muster.deploy.serve.RegisteredTrust;
import io.muster.deploy.serve.ServingCertificates;
import java.time.InstantSource;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code muster certs status}: reads, and changes nothing. */
@Command(
    name = "status",
    mixinStandardHelpOptions = true,
    description = "Prints each certificate, when it ends, and how far a change of CA has come.")
final class StatusCommand extends ConsoleCommand {

  private static final InstantSource CLOCK = InstantSource.system();

  @Mixin private ClusterOptions cluster = new ClusterOptions();

  @Override
  protected int run() {
    report(cluster.config()).forEach(out()::println);
    return CommandLine.ExitCode.OK;
  }

  private static List<String> report(Config config) {
    var namespace = config.text(Setting.NAMESPACE);
    try (var client = ClusterAccess.forCommand(config)) {
      var report = new Report(CLOCK.instant(), new RegisteredTrust(client).told());
      var given = ServingCertificates.given(config, client, CLOCK);
      if (given.isPresent()) {
        return report.of(given.get().refresh(_ -> true));
      }
      var store = new SecretCertificateStore(client, namespace);
      return store
          .load()
          .map(report::of)
          .orElseGet(() -> List.of(store.place() + " does not exist: Muster has not started yet"));
    }
  }
}
