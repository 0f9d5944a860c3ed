package io.muster.deploy.serve;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.MeterRegistry;
import io.muster.controller.kinds.di.server.DiServer;
import io.muster.controller.kinds.di.server.presence.ServerServices;
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

  private DiServing() {}

  /** A controller beside which the names of the server are kept, where they can be. */
  static JobController withServices(
      Config config, KubernetesClient client, InstantSource clock, JobController controller) {
    return advertised(config).isPresent()
        ? new ServerServices(client, controller, clock)
        : controller;
  }

  /** At which pods reach this process by the server's names; empty if those are not kept. */
  private static Optional<String> advertised(Config config) {
    if (config.port(Setting.DI_PORT) == 0 || !config.text(Setting.DI_SERVICES).equals("true")) {
      return Optional.empty();
    }
    return config.optional(Setting.ADVERTISE_ADDRESS);
  }

  /**
   * Opens its port; empty if there is to be none.
   *
   * @param process a name that no other process of the cluster's has
   */
  static Optional<DiServer> start(
      Config config,
      String process,
      MeterRegistry registry,
      InstantSource clock,
      ServeTimers timers) {
    int port = config.port(Setting.DI_PORT);
    if (port == 0 || !config.texts(Setting.JOB_KINDS).contains(KIND)) {
      return Optional.empty();
    }
    var advertised = advertised(config);
    if (advertised.isEmpty() && config.text(Setting.DI_SERVICES).equals("true")) {
      LOG.atWarn()
          .log(
              "neither advertiseAddress nor POD_IP is set: the Services of the server for DIJobs do"
                  + " not lead to this process");
    }
    return Optional.of(
        DiServer.start(
            ClusterAccess.wholeObjects(config),
            new DiServer.Settings(
                new DiServer.Place(process, config.text(Setting.BIND_ADDRESS), port, advertised),
                config.text(Setting.DI_ACCESS).equals("open"),
                Optional.of(config.seconds(Setting.DI_HOLD)).filter(Duration::isPositive),
                config.text(Setting.DI_SPLIT).equals("fit"),
                config.text(Setting.DI_NEVER_FITS).equals("refuse")),
            new DiServer.Surroundings(timers, clock, new DiMeters(registry))));
  }
}
