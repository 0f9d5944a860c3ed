package io.muster.controller.kinds.di.task;

import static io.muster.controller.kinds.di.job.PodBody.variable;

import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.state.JobState;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.api.Task;
import io.muster.controller.kinds.di.job.DiAddresses;
import io.muster.controller.kinds.di.job.DiNames;
import io.muster.controller.kinds.di.job.MainContainer;
import io.muster.controller.kinds.di.job.PodBody;
import io.muster.controller.kube.OwnGang;
import io.muster.controller.kube.pod.HeadlessService;
import io.muster.extender.core.gang.GangKeys;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Pods of the tasks of one job as it stands, and the Service by which they find each other. Each is
 * told of all pods in the order of their ranks, so that its own is where its rank says. What all
 * pods are told is worked out once. Immutable.
 */
final class TaskPods {

  private static final Pattern LABEL_VALUE =
      Pattern.compile("[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?");

  private final DiAddresses addresses;
  private final DIJob job;
  private final Map<String, Task> tasks;

  /** Full names of all pods, and of those of each task, by variable. */
  private final Map<String, String> nodes;

  private final Map<String, String> annotations;
  private final Map<String, String> terms;

  /**
   * Of that job.
   *
   * @param state with all places that were given out
   */
  TaskPods(DiAddresses addresses, DIJob job, JobState state) {
    this.addresses = addresses;
    this.job = job;
    tasks =
        TaskSpecMapper.tasks(job).stream()
            .collect(
                Collectors.toMap(
                    Task::knownName, Function.identity(), (first, _) -> first, LinkedHashMap::new));
    nodes = nodes(state);
    annotations = annotations(state);
    terms = terms(job);
  }

  Pod make(Action.Create create) {
    var task = tasks.get(create.role());
    var name = create.name();
    var body = new PodBody(job, name, task.template());
    body.labelled(labels(job))
        .labelled(
            job.getSpec().tasks() == null
                ? ofCopy(create)
                : Map.of(
                    DiNames.TASK_TYPE_LABEL, task.knownType(), DiNames.TASK_LABEL, create.role()))
        .labelled(Map.of(DiNames.POD_LABEL, name))
        .annotated(annotations)
        .annotated(own(create))
        .inGang(terms(create))
        .told(variables(create));
    var spec = body.spec();
    spec.setRestartPolicy("Never");
    spec.setHostname(name);
    spec.setSubdomain(DiNames.service(job));
    if ("high".equals(job.getSpec().priority()) && spec.getPriorityClassName() == null) {
      spec.setPriorityClassName(DiNames.HIGH);
    }
    MainContainer.givePort(spec, create.role(), DiNames.PORT);
    return body.made();
  }

  private Map<String, String> ofCopy(Action.Create create) {
    var labels = new HashMap<>(Map.of(DiNames.RANK, rank(create)));
    Optional.ofNullable(job.getSpec().group())
        .filter(group -> LABEL_VALUE.matcher(group).matches())
        .ifPresent(group -> labels.put(DiNames.GROUP_LABEL, group));
    return labels;
  }

  private static String rank(Action.Create create) {
    return Integer.toString(create.rank());
  }

  /** What all pods of the job have, and its Service selects. */
  private static Map<String, String> labels(DIJob job) {
    return Map.of(
        DiNames.OPERATOR_LABEL, DiNames.OPERATOR, DiNames.JOB_LABEL, job.getMetadata().getName());
  }

  private Map<String, String> annotations(JobState state) {
    var common = new HashMap<String, String>();
    common.put(DiNames.REPLICAS, Integer.toString(state.size()));
    common.put(DiNames.NODE, "");
    if (job.getSpec().tasks() == null) {
      common.put(DiNames.GENERATION, DiNames.ONLY_GENERATION);
    }
    return common;
  }

  private Map<String, String> own(Action.Create create) {
    return job.getSpec().tasks() == null
        ? Map.of(DiNames.RANK, rank(create))
        : Map.of(DiNames.RANK, rank(create), DiNames.TASK_RANK, Integer.toString(create.index()));
  }

  private Map<String, String> terms(Action.Create create) {
    var all = new HashMap<>(terms);
    all.put(GangKeys.INDEX, rank(create));
    all.put(GangKeys.ROLE, create.role());
    return all;
  }

  private static Map<String, String> terms(DIJob job) {
    var sizes = TaskSpecMapper.sizes(job);
    var terms = new HashMap<String, String>();
    terms.put(GangKeys.NAME, OwnGang.of(job));
    terms.put(GangKeys.MIN, Integer.toString(TaskSpecMapper.leastPods(job)));
    if (!Boolean.TRUE.equals(job.getSpec().preemptible())) {
      terms.put(GangKeys.PREEMPTIBLE, "false");
    }
    if (sizes.stream().anyMatch(sized -> sized.least() < sized.wanted())) {
      terms.put(
          GangKeys.ROLES,
          sizes.stream()
              .map(sized -> sized.name() + "=" + sized.least())
              .collect(Collectors.joining(",")));
    }
    return terms;
  }

  private List<EnvVar> variables(Action.Create create) {
    var metadata = job.getMetadata();
    var variables = new ArrayList<EnvVar>();
    variables.add(variable("DI_JOB_ID", metadata.getNamespace() + "/" + metadata.getName()));
    variables.add(variable("DI_SERVER_URL", addresses.server()));
    variables.add(variable("DI_RANK", rank(create)));
    variables.add(variable("MUSTER_POD_FQDN", addresses.of(job, create.name())));
    nodes.forEach((variable, names) -> variables.add(variable(variable, names)));
    if (job.getSpec().tasks() == null) {
      CopyArguments.add(variables, job, create.rank());
    }
    return variables;
  }

  private Map<String, String> nodes(JobState state) {
    var lists = new LinkedHashMap<String, String>();
    lists.put("DI_NODES", listed(Ranks.of(job, state).values()));
    if (job.getSpec().tasks() != null) {
      for (var task : tasks.keySet()) {
        var prefix = DiNames.pods(job, task) + "-";
        var own = state.targets(task).stream().sorted().map(index -> prefix + index).toList();
        lists.put(DiNames.nodesVariable(task), listed(own));
      }
    }
    return lists;
  }

  private String listed(Iterable<String> pods) {
    var names = new ArrayList<String>();
    pods.forEach(pod -> names.add(addresses.of(job, pod)));
    return String.join(",", names);
  }

  /** The Service of the pods: there before they are, and naming them before they are ready. */
  static Service service(DIJob job) {
    var service =
        HeadlessService.of(
            job,
            DiNames.service(job),
            labels(job),
            List.of(HeadlessService.port(DiNames.MAIN_PORT, DiNames.PORT)));
    service.getSpec().setPublishNotReadyAddresses(true);
    return service;
  }
}
