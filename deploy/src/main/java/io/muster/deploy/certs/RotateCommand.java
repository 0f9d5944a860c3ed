package io.muster.deploy.certs;

import io.muster.certs.Rotation;
import io.muster.certs.kube.SecretCertificateStore;
import io.muster.certs.x509.CertificateIssueException;
import io.muster.certs.x509.Purpose;
import io.muster.deploy.config.ClusterOptions;
import io.muster.deploy.config.Config;
import io.muster.deploy.config.Setting;
import io.muster.deploy.console.ConsoleCommand;
import io.muster.deploy.serve.ClusterAccess;
import java.time.InstantSource;
import java.util.EnumSet;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code muster certs rotate}: writes the Secret once; running processes do the rest. */
@Command(
    name = "rotate",
    mixinStandardHelpOptions = true,
    description = "Issues certificates before they are due, all but the CA unless told otherwise.")
final class RotateCommand extends ConsoleCommand {

  private static final int ATTEMPTS = 5;

  @Mixin private ClusterOptions cluster = new ClusterOptions();
  @ArgGroup private What what = new What();

  /** One of them; without any, both leaves. */
  static final class What {
    @Option(names = "--server", description = "What the TLS ports show.")
    private boolean server;

    @Option(names = "--scheduler-client", description = "What kube-scheduler shows.")
    private boolean schedulerClient;

    @Option(
        names = "--ca",
        description = "A new CA is announced, then issues; both are trusted for a time.")
    private boolean authority;

    @Option(
        names = "--end-overlap",
        description = "The former CA is trusted no more, as after the loss of its key.")
    private boolean endOfOverlap;

    Rotation rotation() {
      if (authority) {
        return new Rotation.Authority();
      }
      if (endOfOverlap) {
        return new Rotation.EndOfOverlap();
      }
      var purposes = EnumSet.noneOf(Purpose.class);
      if (!schedulerClient) {
        purposes.add(Purpose.SERVER);
      }
      if (!server) {
        purposes.add(Purpose.SCHEDULER_CLIENT);
      }
      return new Rotation.Leaves(purposes);
    }

    String done() {
      if (authority) {
        return "a new CA is announced; running processes switch to it within minutes";
      }
      if (endOfOverlap) {
        return "the former CA is dropped; kube-schedulers still need the present client certificate";
      }
      return "issued; running processes take it over within seconds";
    }
  }

  @Override
  protected int run() {
    var config = cluster.config();
    if (config.optional(Setting.CERTIFICATE_SECRET).isPresent()) {
      throw new CertificateIssueException(
          "the certificates come from Secret "
              + config.text(Setting.CERTIFICATE_SECRET)
              + ": renew them where they come from");
    }
    rotate(config);
    out().println(what.done() + "; see muster certs status");
    return CommandLine.ExitCode.OK;
  }

  private void rotate(Config config) {
    try (var client = ClusterAccess.forCommand(config)) {
      var store = new SecretCertificateStore(client, config.text(Setting.NAMESPACE));
      for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        var held =
            store
                .load()
                .orElseThrow(() ->
                    new CertificateIssueException(
                        store.place() + " does not exist: Muster has not started yet"));
        var wanted = what.rotation().of(held, InstantSource.system());
        if (store.replace(held, wanted).equals(wanted)) {
          return;
        }
      }
      throw new CertificateIssueException(
          store.place() + " changed " + ATTEMPTS + " times meanwhile: try again");
    }
  }
}
