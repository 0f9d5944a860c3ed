package io.muster.controller.kinds.dlrover.pod;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.job.ResizeRequest;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kinds.dlrover.api.ReplicaSpec;
import io.muster.controller.kinds.dlrover.job.DlroverNames;
import io.muster.controller.kinds.dlrover.job.ElasticJobSpecMapper;
import io.muster.controller.kube.Marks;
import io.muster.controller.kube.Ownership;
import io.muster.controller.kube.pod.Variables;
import io.muster.extender.core.gang.Dialect;
import io.muster.extender.core.gang.GangId;
import io.muster.extender.core.gang.GangKeys;
import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.Terms;
import io.muster.extender.core.gang.dialect.DialectDetector;
import io.muster.extender.core.gang.dialect.DialectKeys;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The pod of a worker as DLRover's master would make it, for jobs whose workers Muster makes.
 * Stateless.
 */
public final class WorkerPod {

  private static final int PORT = 3333;
  private static final String HIGH = "high";
  private static final String LOW = "low";

  private WorkerPod() {}

  public static Pod make(ElasticJob job, Action.Create create) {
    var worker = ElasticJobSpecMapper.role(job, ElasticJob.WORKER).orElseThrow();
    var metadata = Ownership.metadata(job, create.name());
    var labels = Marks.labels(worker.template());
    var annotations = Marks.annotations(worker.template());
    create
        .resize()
        .ifPresentOrElse(
            id -> startTogether(labels, annotations, create, id),
            () -> startWithFewer(labels, annotations, create.gangSize()));
    labels.put("app", "dlrover");
    labels.putAll(roleLabels(job, create.rank()));
    labels.put(DlroverNames.INDEX_LABEL, Integer.toString(create.index()));
    labels.put(DlroverNames.RELAUNCHES_LABEL, Integer.toString(create.losses()));
    metadata.setLabels(labels);
    metadata.setAnnotations(annotations);
    var spec = new PodSpecBuilder(worker.template().getSpec()).withRestartPolicy("Never").build();
    var main = main(spec);
    Variables.add(main, variables(job, worker, create));
    Variables.add(
        spec.getContainers().getFirst(), List.of(Variables.of("MONITOR_ENABLED", "true")));
    priority(worker, create.index()).ifPresent(spec::setPriorityClassName);
    return new PodBuilder().withMetadata(metadata).withSpec(spec).build();
  }

  /**
   * Those that come later come all or none, whatever the job's first gang was called, and go where
   * that is, if it must be in one domain.
   */
  private static void startTogether(
      Map<String, String> labels,
      Map<String, String> annotations,
      Action.Create create,
      String id) {
    var closeness = new HashMap<>(annotations);
    closeness.keySet().retainAll(GangKeys.CLOSENESS);
    var first = new DialectDetector().recognise(new Markings("", labels, annotations));
    first
        .filter(member -> !member.topology().isAnywhere())
        .ifPresent(member -> closeness.put(GangKeys.JOINS, member.gang().name()));
    labels.keySet().removeIf(key -> isOfGang(Map.of(key, ""), Map.of()));
    annotations.keySet().removeIf(key -> isOfGang(Map.of(), Map.of(key, "")));
    var plan = ResizeRequest.nameIn(id);
    annotations.putAll(closeness);
    var own = new GangId(Dialect.MUSTER, "", plan);
    boolean isTaken = first.filter(member -> member.gang().equals(own)).isPresent();
    annotations.put(GangKeys.NAME, isTaken ? plan + ".scaleplan" : plan);
    annotations.put(GangKeys.MIN, Integer.toString(create.gangSize()));
    // Who replaces one of them is of the job's first gang, and the next plan may take some away.
    annotations.put(GangKeys.ON_LOSS, "owner");
    labels.put(DlroverNames.PLAN_LABEL, plan);
  }

  /**
   * Of the workers with whom the job began nobody is left, and there are fewer now: those of plans
   * are gangs of their own.
   */
  private static void startWithFewer(
      Map<String, String> labels, Map<String, String> annotations, int size) {
    boolean areFewer =
        new DialectDetector()
            .recognise(new Markings("", labels, annotations))
            .filter(member ->
                member.terms() instanceof Terms.Usable terms && size < terms.minAvailable())
            .isPresent();
    if (areFewer) {
      for (var key : DialectKeys.MINIMA) {
        labels.computeIfPresent(key, (_, _) -> Integer.toString(size));
        annotations.computeIfPresent(key, (_, _) -> Integer.toString(size));
      }
    }
  }

  private static boolean isOfGang(Map<String, String> labels, Map<String, String> annotations) {
    return DialectKeys.areIn(new Markings("", labels, annotations));
  }

  private static Map<String, String> roleLabels(ElasticJob job, int rank) {
    return new HashMap<>(
        Map.of(
            DlroverNames.JOB_LABEL, job.getMetadata().getName(),
            DlroverNames.ROLE_LABEL, ElasticJob.WORKER,
            DlroverNames.RANK_LABEL, Integer.toString(rank)));
  }

  /** The address of whoever has that rank. */
  public static Service service(ElasticJob job, int rank) {
    var name = job.getMetadata().getName();
    var metadata = Ownership.metadata(job, DlroverNames.workers(name) + "-" + rank);
    metadata.setLabels(Map.of("app", "dlrover", DlroverNames.JOB_LABEL, name));
    return new ServiceBuilder()
        .withMetadata(metadata)
        .withNewSpec()
        .withSelector(roleLabels(job, rank))
        .addNewPort()
        .withName("grpc")
        .withPort(PORT)
        .withNewTargetPort(PORT)
        .endPort()
        .endSpec()
        .build();
  }

  private static Container main(PodSpec spec) {
    return spec.getContainers().stream()
        .filter(container -> "main".equals(container.getName()))
        .findFirst()
        .orElse(spec.getContainers().getFirst());
  }

  private static List<EnvVar> variables(ElasticJob job, ReplicaSpec worker, Action.Create create) {
    var name = job.getMetadata().getName();
    var id = Integer.toString(create.index());
    var rank = Integer.toString(create.rank());
    var count = Integer.toString(Objects.requireNonNullElse(worker.replicas(), 0));
    return List.of(
        Variables.ofField("POD_IP", "status.podIP"),
        Variables.ofField("NODE_IP", "status.hostIP"),
        Variables.of("ELASTIC_JOB_NAME", name),
        Variables.of("JOB_UID", job.getMetadata().getUid()),
        Variables.of("GRPC_ENABLE_FORK_SUPPORT", "false"),
        Variables.of("NODE_TYPE", ElasticJob.WORKER),
        Variables.of("NODE_ID", id),
        Variables.of("NODE_NUM", count),
        Variables.of("NODE_RANK", rank),
        Variables.of("WORLD_SIZE", count),
        Variables.of("RANK", rank),
        Variables.of(
            "DLROVER_MASTER_ADDR", DlroverNames.master(name) + ":" + DlroverNames.MASTER_PORT),
        Variables.of("DLROVER_MASTER_SERVICE_TYPE", "grpc"),
        Variables.of("DLROVER_TRAINING_ELASTIC_MODE", "base"),
        Variables.ofField("POD_NAME", "metadata.name"),
        Variables.of("WORKER_TYPE", ElasticJob.WORKER),
        Variables.of("WORKER_ID", id),
        Variables.of("WORKER_NUM", count),
        Variables.of("WORKER_RANK", rank));
  }

  /** A PriorityClass of that name; empty: the template's own. */
  private static Optional<String> priority(ReplicaSpec worker, int index) {
    var said = Objects.requireNonNullElse(worker.priority(), "");
    if (said.isEmpty()) {
      return Optional.empty();
    } else if (said.equals(HIGH) || said.equals(LOW)) {
      return Optional.of(said);
    }
    long high =
        Math.round(Objects.requireNonNullElse(worker.replicas(), 0) * Double.parseDouble(said));
    return Optional.of(index <= high ? HIGH : LOW);
  }
}
