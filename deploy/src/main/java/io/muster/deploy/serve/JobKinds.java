package io.muster.deploy.serve;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.muster.controller.di.DiController;
import io.muster.controller.di.DiOperator;
import io.muster.controller.dlrover.DlroverController;
import io.muster.controller.dlrover.DlroverOperator;
import io.muster.controller.etoperator.EtOperator;
import io.muster.controller.etoperator.EtOperatorController;
import io.muster.controller.kube.JobEvents;
import io.muster.controller.kube.LeavingNodes;
import io.muster.controller.kube.RoomSharing;
import io.muster.controller.paddle.PaddleController;
import io.muster.controller.paddle.PaddleOperator;
import io.muster.controller.port.JobController;
import io.muster.controller.port.JobMeter;
import io.muster.controller.port.SizeMeter;
import io.muster.deploy.config.Config;
import io.muster.deploy.config.Setting;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** The job kinds of one term as leader. Safe for concurrent use. */
final class JobKinds implements AutoCloseable {

  private final Config config;
  private final SchedulingQueries advice;
  private final RoomSharing sharing;
  private final InstantSource clock;
  private final JobMeter meter;
  private final KubernetesClient client;
  private final List<OneKind> kinds;
  private Optional<LeavingNodes> nodes = Optional.empty();

  /** What it is all counted by. */
  record Meters(JobMeter looks, SizeMeter sizes) {}

  /**
   * What they need of the process and the term.
   *
   * @param clock of the wall
   * @param writes which of theirs may be sent
   */
  record Surroundings(
      SchedulingQueries advice,
      Timers timers,
      InstantSource clock,
      LeaderWrites writes,
      Meters meters) {}

  private JobKinds(Config config, Surroundings term) {
    this.config = config;
    this.advice = term.advice();
    this.sharing =
        new RoomSharing(
            advice,
            config.elasticity(),
            term.meters().sizes(),
            config.isOn(Setting.ELASTIC_DRY_RUN));
    this.clock = term.clock();
    this.meter = term.meters().looks();
    this.client = ClusterAccess.wholeObjects(config, term.writes());
    var events = new JobEvents(client, clock, config.text(Setting.EVENT_SOURCE));
    this.kinds =
        descriptions().stream()
            .filter(kind -> config.texts(Setting.JOB_KINDS).contains(kind.name()))
            .map(kind -> new OneKind(kind, client, term.timers(), events, meter, clock))
            .toList();
  }

  /** Begins to run the kinds that the settings name; returns at once. */
  static JobKinds begin(Config config, Surroundings term) {
    var kinds = new JobKinds(config, term);
    kinds.kinds.forEach(OneKind::begin);
    return kinds;
  }

  private List<OneKind.Description> descriptions() {
    return List.of(
        new OneKind.Description(
            "etoperator",
            "TrainingJobs of kai.alibabacloud.com",
            () -> EtOperatorController.isInstalled(client),
            EtOperator::runs,
            Optional.empty(),
            this::etOperator),
        new OneKind.Description(
            "dlrover",
            "ElasticJobs of elastic.iml.github.io",
            () -> DlroverController.isInstalled(client),
            DlroverOperator::runs,
            Optional.of(DlroverOperator.LEASE),
            this::dlrover),
        new OneKind.Description(
            "di",
            "DIJobs of diengine.opendilab.org",
            () -> DiController.isInstalled(client),
            DiOperator::runs,
            Optional.of(DiOperator.LEASE),
            this::di),
        new OneKind.Description(
            "paddle",
            "TrainingJobs of paddlepaddle.org",
            () -> PaddleController.isInstalled(client),
            PaddleOperator::runs,
            Optional.empty(),
            this::paddle));
  }

  private JobController etOperator() {
    return new EtOperatorController(
        client,
        new EtOperatorController.Settings(
            config.text(Setting.EVENT_SOURCE),
            config.text(Setting.INIT_IMAGE),
            config.text(Setting.KUBECTL_IMAGE)),
        new EtOperatorController.Surroundings(
            nodes(), advice, sharing, reconciles(), clock, meter));
  }

  private JobController dlrover() {
    return new DlroverController(
        client,
        new DlroverController.Settings(
            config.text(Setting.EVENT_SOURCE),
            config.text(Setting.DLROVER_MASTER_IMAGE),
            config.dlroverMode()),
        new DlroverController.Surroundings(
            nodes(), advice, advice, sharing, reconciles(), clock, meter));
  }

  private JobController di() {
    return DiServing.withServices(
        config,
        client,
        clock,
        new DiController(
            client,
            new DiController.Settings(
                config.text(Setting.EVENT_SOURCE),
                config.text(Setting.DI_SERVER_URL),
                config.text(Setting.DI_FIRST_SERVER_URL),
                "svc." + config.text(Setting.CLUSTER_DOMAIN)),
            new DiController.Surroundings(advice, sharing, reconciles(), clock, meter)));
  }

  private JobController paddle() {
    return new PaddleController(
        client,
        config.text(Setting.EVENT_SOURCE),
        new PaddleController.Surroundings(advice, sharing, reconciles(), clock, meter));
  }

  /** One for each controller, which ends it. */
  private static ExecutorService reconciles() {
    return Executors.newVirtualThreadPerTaskExecutor();
  }

  /** One watch for all kinds. */
  private synchronized LeavingNodes nodes() {
    if (nodes.isEmpty()) {
      var watch = new LeavingNodes(config.reclaim(), clock);
      watch.start(client);
      nodes = Optional.of(watch);
    }
    return nodes.get();
  }

  @Override
  public void close() {
    kinds.forEach(OneKind::close);
    closeNodes();
    client.close();
  }

  private synchronized void closeNodes() {
    nodes.ifPresent(LeavingNodes::close);
    nodes = Optional.empty();
  }
}
