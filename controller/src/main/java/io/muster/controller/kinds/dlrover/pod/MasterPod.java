package io.muster.controller.kinds.dlrover.pod;

import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.muster.controller.kinds.dlrover.api.ElasticJob;
import io.muster.controller.kinds.dlrover.api.ReplicaSpec;
import io.muster.controller.kinds.dlrover.job.DlroverNames;
import io.muster.controller.kinds.dlrover.job.ElasticJobSpecMapper;
import io.muster.controller.kinds.dlrover.job.Mode;
import io.muster.controller.kube.Marks;
import io.muster.controller.kube.Ownership;
import io.muster.controller.kube.pod.Variables;
import io.muster.extender.core.gang.Markings;
import io.muster.extender.core.gang.dialect.DialectKeys;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** The pod of a job's master. Stateless; safe for concurrent use. */
public final class MasterPod {

  private static final String WHOLE_NUMBER = "[0-9]{1,9}";

  /** What the master understands of the job's annotations: an argument each, if it is sound. */
  private static final Map<String, Pattern> ARGUMENTS =
      Map.of(
          "pending_timeout", Pattern.compile(WHOLE_NUMBER),
          "pending_fail_strategy", Pattern.compile("[0-2]"),
          "service_type", Pattern.compile("grpc|http|ray"),
          "pre_check_ops", Pattern.compile("[A-Za-z0-9_.,:\\[\\]()'\" ]{1,1000}"),
          "pre_check_bypass", Pattern.compile("(?i)true|false"),
          "training_elastic_mode", Pattern.compile("[a-z]{1,20}"),
          "enable_dashboard", Pattern.compile("(?i)true|false"),
          "dashboard_port", Pattern.compile(WHOLE_NUMBER));

  private static final String WAITS_FOR_EVER = "pending_fail_strategy";

  /** Seconds; one that only lets workers meet has nothing to bring to an end. */
  private static final Long LOCAL_GRACE = 5L;

  private final String image;

  /**
   * @param image with DLRover in it, for jobs that bring no master of their own
   */
  public MasterPod(String image) {
    this.image = image;
  }

  /** The pod with that number. */
  public Pod make(ElasticJob job, Mode mode, String name, int index) {
    var given = ElasticJobSpecMapper.role(job, ElasticJob.MASTER).map(ReplicaSpec::template);
    var metadata = Ownership.metadata(job, name);
    metadata.setLabels(labels(job, given, index));
    metadata.setAnnotations(annotations(job, given));
    var spec =
        given
            .map(PodTemplateSpec::getSpec)
            .map(theirs -> new PodSpecBuilder(theirs).build())
            .orElseGet(() -> ours(job, mode));
    Variables.add(
        spec.getContainers().getFirst(), List.of(Variables.ofField("POD_IP", "status.podIP")));
    return new PodBuilder().withMetadata(metadata).withSpec(spec).build();
  }

  /** Whether the job brings no master of its own, so that Muster's account is given to it. */
  public static boolean isOurs(ElasticJob job) {
    return ElasticJobSpecMapper.role(job, ElasticJob.MASTER).map(ReplicaSpec::template).isEmpty();
  }

  private static Map<String, String> labels(
      ElasticJob job, Optional<PodTemplateSpec> given, int index) {
    var labels = new HashMap<String, String>();
    given
        .map(template -> template.getMetadata())
        .map(metadata -> metadata.getLabels())
        .ifPresent(labels::putAll);
    labels.putAll(Marks.labels(job));
    labels.putAll(DlroverNames.masterLabels(job.getMetadata().getName()));
    labels.put(DlroverNames.INDEX_LABEL, Integer.toString(index));
    return labels;
  }

  /** The job's own too, but for what kubectl keeps there and what would make a member of it. */
  private static Map<String, String> annotations(ElasticJob job, Optional<PodTemplateSpec> given) {
    var annotations = new HashMap<String, String>();
    given
        .map(template -> template.getMetadata())
        .map(metadata -> metadata.getAnnotations())
        .ifPresent(annotations::putAll);
    Marks.annotations(job)
        .forEach((key, value) -> {
          boolean isOfGang = DialectKeys.areIn(new Markings("", Map.of(), Map.of(key, value)));
          if (!isOfGang && !key.startsWith("kubectl.kubernetes.io/")) {
            annotations.put(key, value);
          }
        });
    return annotations;
  }

  private PodSpec ours(ElasticJob job, Mode mode) {
    var amounts =
        Map.of(
            "cpu", new Quantity("1"),
            "memory", new Quantity("2Gi"),
            "ephemeral-storage", new Quantity("2Gi"));
    boolean asksApiserver = mode == Mode.UPSTREAM_MASTER;
    return new PodSpecBuilder()
        .withRestartPolicy("Never")
        .withServiceAccountName(asksApiserver ? DlroverNames.MASTER_ACCOUNT : null)
        .withAutomountServiceAccountToken(asksApiserver ? null : false)
        .withTerminationGracePeriodSeconds(asksApiserver ? null : LOCAL_GRACE)
        .withContainers(
            new ContainerBuilder()
                .withName("main")
                .withImage(image)
                .withImagePullPolicy("Always")
                .withCommand(asksApiserver ? command(job) : localCommand(job))
                .withNewResources()
                .withRequests(amounts)
                .withLimits(amounts)
                .endResources()
                .build())
        .build();
  }

  /** No shell reads it, so what users write in annotations stays an argument. */
  private static List<String> command(ElasticJob job) {
    var metadata = job.getMetadata();
    var command =
        line(
            "--platform pyk8s --namespace %s --job_name %s --port %d"
                .formatted(metadata.getNamespace(), metadata.getName(), DlroverNames.MASTER_PORT));
    var annotations = Marks.annotations(job);
    ARGUMENTS.keySet().stream()
        .sorted()
        .filter(key -> isSound(key, annotations.get(key)))
        .forEach(key -> command.addAll(List.of("--" + key, annotations.get(key))));
    if (!annotations.containsKey(WAITS_FOR_EVER) && ElasticJobSpecMapper.hasGang(job)) {
      // A gang that waits for its GPUs would be given up after 15 minutes.
      command.addAll(List.of("--" + WAITS_FOR_EVER, "0"));
    }
    return command;
  }

  /** It has the workers meet, and knows nothing of Kubernetes. */
  private static List<String> localCommand(ElasticJob job) {
    return line(
        "--platform local --job_name %s --port %d --node_num %d"
            .formatted(
                job.getMetadata().getName(),
                DlroverNames.MASTER_PORT,
                ElasticJobSpecMapper.workerCount(job)));
  }

  private static List<String> line(String arguments) {
    return new ArrayList<>(
        List.of(("python -m dlrover.python.master.main " + arguments).split(" ")));
  }

  private static boolean isSound(String key, String value) {
    return value != null && ARGUMENTS.get(key).matcher(value).matches();
  }

  /** Annotations of the job that the master would understand, but not as they stand. */
  public static List<String> unsound(ElasticJob job) {
    return Marks.annotations(job).entrySet().stream()
        .filter(entry -> ARGUMENTS.containsKey(entry.getKey()))
        .filter(entry -> !isSound(entry.getKey(), entry.getValue()))
        .map(Map.Entry::getKey)
        .sorted()
        .toList();
  }
}
