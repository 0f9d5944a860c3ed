package io.muster.deploy.serve;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;
import io.muster.controller.di.server.DiServer;
import io.muster.controller.di.server.ServerServices;
import io.muster.controller.metrics.DiMeters;
import io.muster.controller.port.JobController;
import io.muster.deploy.config.Config;
import io.muster.deploy.config.Setting;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts the server for DIJobs, and what belongs to it, as the settings say. */
final class DiServing {

  private static final Logger LOG = LoggerFactory.getLogger(DiServing.class);
  private static final String KIND = "di";

  private static final String POD_IP = "POD_IP";

  private DiServing() {}

  /** A controller beside which the names of the server are kept, where they can be. */
  static JobController withServices(
      Config config, KubernetesClient client, InstantSource clock, JobController controller) {
    int port = config.port(Setting.DI_PORT);
    var address =
        config
            .optional(Setting.ADVERTISE_ADDRESS)
            .or(() -> Optional.ofNullable(System.getenv(POD_IP)))
            .filter(text -> !text.isBlank());
    if (port == 0 || !config.text(Setting.DI_SERVICES).equals("true")) {
      return controller;
    } else if (address.isEmpty()) {
      LOG.atWarn()
          .log(
              "neither advertiseAddress nor POD_IP is set: the Services of the server for DIJobs are"
                  + " not kept");
      return controller;
    }
    return new ServerServices(client, controller, address.get(), port, clock);
  }

  /** Opens its port; empty if there is to be none. */
  static Optional<DiServer> start(
      Config config, MeterRegistry registry, InstantSource clock, Timers timers) {
    int port = config.port(Setting.DI_PORT);
    if (port == 0 || !config.texts(Setting.JOB_KINDS).contains(KIND)) {
      return Optional.empty();
    }
    return Optional.of(
        DiServer.start(
            ClusterAccess.wholeObjects(config),
            new DiServer.Settings(
                config.text(Setting.BIND_ADDRESS),
                port,
                config.text(Setting.DI_ACCESS).equals("open"),
                Optional.of(config.seconds(Setting.DI_HOLD)).filter(Duration::isPositive)),
            new DiServer.Surroundings(timers, clock, new DiMeters(registry))));
  }
}
