package io.muster.deploy.serve;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.CustomResource;
import io.muster.controller.api.JobStatus;
import io.muster.controller.framework.CapacitySharing;
import io.muster.controller.framework.JobAccess;
import io.muster.controller.framework.JobKind;
import io.muster.controller.framework.JobMemory;
import io.muster.controller.framework.KindController;
import io.muster.controller.kinds.di.DiKind;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.job.DiAddresses;
import io.muster.controller.kinds.dlrover.DlroverKind;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kinds.etoperator.EtOperatorKind;
import io.muster.controller.kinds.etoperator.api.TrainingJob;
import io.muster.controller.kinds.etoperator.job.TrainingJobPods;
import io.muster.controller.kinds.paddle.PaddleKind;
import io.muster.controller.kinds.paddle.api.PaddleJob;
import io.muster.controller.kube.GangHolders;
import io.muster.controller.kube.node.LeavingNodes;
import io.muster.controller.port.JobController;
import io.muster.controller.port.JobMeter;
import io.muster.controller.port.SizeMeter;
import io.muster.deploy.config.Config;
import io.muster.deploy.config.Setting;
import io.muster.deploy.serve.lease.Clocks;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** The job kinds of one term as leader. Safe for concurrent use. */
final class JobKinds implements AutoCloseable {

  private static final List<Class<? extends HasMetadata>> KINDS =
      List.of(TrainingJob.class, ElasticJob.class, DIJob.class, PaddleJob.class);

  private final Config config;
  private final Surroundings term;
  private final JobAccess access;
  private final CapacitySharing sharing;
  private final GangHolders gangs;
  private final LeavingNodes nodes;
  private final List<OneKind> kinds;

  /** What it is all counted by. */
  record Meters(JobMeter jobs, SizeMeter sizes) {}

  /**
   * What they need of the process and the term.
   *
   * @param clocks of the process
   * @param writes which of theirs may be sent
   */
  record Surroundings(
      SchedulingQueries advice,
      ServeTimers timers,
      Clocks clocks,
      LeaderWrites writes,
      Meters meters) {}

  private JobKinds(Config config, Surroundings term) {
    this.config = config;
    this.term = term;
    this.access =
        JobAccess.of(
            ClusterAccess.wholeObjects(config, term.writes()),
            config.text(Setting.EVENT_SOURCE),
            term.clocks().wall());
    this.sharing =
        new CapacitySharing(
            term.advice(),
            config.elasticity(),
            term.meters().sizes(),
            config.isOn(Setting.ELASTIC_DRY_RUN));
    this.gangs = new GangHolders(access.client(), term.advice(), term.clocks().steady(), KINDS);
    this.nodes = new LeavingNodes(config.reclaim(), term.clocks().wall());
    this.kinds =
        Stream.of(etOperator(), dlrover(), di(), paddle())
            .filter(kind -> config.texts(Setting.JOB_KINDS).contains(kind.name()))
            .toList();
  }

  /** Begins to run the kinds that the settings name; returns at once. */
  static JobKinds begin(Config config, Surroundings term) {
    var kinds = new JobKinds(config, term);
    kinds.kinds.forEach(OneKind::begin);
    return kinds;
  }

  private OneKind etOperator() {
    var images =
        new TrainingJobPods.Images(
            config.text(Setting.INIT_IMAGE), config.text(Setting.KUBECTL_IMAGE));
    var advice = term.advice();
    return kind(
        new EtOperatorKind(images, access, nodes, advice, advice), UnaryOperator.identity());
  }

  private OneKind dlrover() {
    var settings =
        new DlroverKind.Settings(config.text(Setting.DLROVER_MASTER_IMAGE), config.dlroverMode());
    return kind(
        new DlroverKind(
            settings, access, new DlroverKind.Placement(nodes, term.advice(), term.advice())),
        UnaryOperator.identity());
  }

  private OneKind di() {
    var addresses =
        new DiAddresses(
            config.text(Setting.DI_SERVER_URL),
            config.text(Setting.DI_FIRST_SERVER_URL),
            "svc." + config.text(Setting.CLUSTER_DOMAIN));
    return kind(
        new DiKind(addresses, access, term.advice()),
        controller -> DiServing.withServices(config, access.client(), access.clock(), controller));
  }

  private OneKind paddle() {
    return kind(new PaddleKind(access, term.advice()), UnaryOperator.identity());
  }

  /**
   * @param beside adds what is run beside the controller
   */
  private <J extends CustomResource<?, S>, S extends JobStatus, M extends JobMemory> OneKind kind(
      JobKind<J, S, M> kind, UnaryOperator<JobController> beside) {
    var operator = kind.facts().operator().in(config.texts(Setting.OPERATOR_NAMESPACES));
    return new OneKind(
        new OneKind.Kind(kind, operator),
        () ->
            beside.apply(
                new KindController<>(
                    kind,
                    access,
                    sharing,
                    gangs,
                    Executors.newVirtualThreadPerTaskExecutor(),
                    term.meters().jobs())),
        access,
        term.timers(),
        term.clocks().steady(),
        term.meters().jobs());
  }

  @Override
  public void close() {
    // Each may have to wait for what is under way; the next term begins after all of them.
    try (var closing = Executors.newVirtualThreadPerTaskExecutor()) {
      kinds.forEach(kind -> closing.execute(kind::close));
    }
    nodes.close();
    access.client().close();
  }
}
