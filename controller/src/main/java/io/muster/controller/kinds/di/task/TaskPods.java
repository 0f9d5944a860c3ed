package io.muster.controller.kinds.di.task;

import static io.muster.controller.kinds.di.job.PodBody.variable;

import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.state.JobState;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.job.DiAddresses;
import io.muster.controller.kinds.di.job.DiNames;
import io.muster.controller.kinds.di.job.MainContainer;
import io.muster.controller.kinds.di.job.PodBody;
import io.muster.controller.kube.pod.HeadlessService;
import io.muster.extender.core.gang.GangKeys;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Pods of tasks, and the Service by which they find each other. Each is told of all pods in the
 * order of their ranks, so that its own is where its rank says. Stateless.
 */
public final class TaskPods {

  private final DiAddresses addresses;

  TaskPods(DiAddresses addresses) {
    this.addresses = addresses;
  }

  /**
   * The pod.
   *
   * @param state with all places that were given out
   */
  Pod make(DIJob job, JobState state, Action.Create create) {
    var task =
        TaskSpecMapper.tasks(job).stream()
            .filter(other -> other.knownName().equals(create.role()))
            .findFirst()
            .orElseThrow();
    var name = create.name();
    var body = new PodBody(job, name, task.template());
    body.labelled(labels(job))
        .labelled(
            job.getSpec().tasks() == null
                ? Map.of("diengine/rank", rank(create))
                : Map.of(
                    DiNames.TASK_TYPE_LABEL, task.knownType(), DiNames.TASK_LABEL, create.role()))
        .labelled(Map.of(DiNames.POD_LABEL, name))
        .annotated(annotations(job, state, create))
        .inGang(terms(job, create))
        .told(variables(job, state, create));
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

  private static String rank(Action.Create create) {
    return Integer.toString(create.rank());
  }

  /** What all pods of the job have, and its Service selects. */
  private static Map<String, String> labels(DIJob job) {
    return Map.of(
        DiNames.OPERATOR_LABEL, DiNames.OPERATOR, DiNames.JOB_LABEL, job.getMetadata().getName());
  }

  private static Map<String, String> annotations(DIJob job, JobState state, Action.Create create) {
    int all = state.targets().values().stream().mapToInt(List::size).sum();
    var annotations = new HashMap<String, String>();
    annotations.put(DiNames.REPLICAS, Integer.toString(all));
    annotations.put(DiNames.RANK, rank(create));
    annotations.put(DiNames.NODE, "");
    if (job.getSpec().tasks() == null) {
      annotations.put(DiNames.GENERATION, DiNames.ONLY_GENERATION);
    } else {
      annotations.put(DiNames.TASK_RANK, Integer.toString(create.index()));
    }
    return annotations;
  }

  private static Map<String, String> terms(DIJob job, Action.Create create) {
    var sizes = TaskSpecMapper.sizes(job);
    var terms = new HashMap<String, String>();
    terms.put(GangKeys.NAME, job.getMetadata().getName());
    terms.put(GangKeys.MIN, Integer.toString(TaskSpecMapper.leastPods(job)));
    terms.put(GangKeys.INDEX, rank(create));
    terms.put(GangKeys.ROLE, create.role());
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

  private List<EnvVar> variables(DIJob job, JobState state, Action.Create create) {
    var metadata = job.getMetadata();
    var variables = new ArrayList<EnvVar>();
    variables.add(variable("DI_JOB_ID", metadata.getNamespace() + "/" + metadata.getName()));
    variables.add(variable("DI_SERVER_URL", addresses.server()));
    variables.add(variable("DI_RANK", rank(create)));
    variables.add(variable("DI_NODES", listed(job, Ranks.of(job, state).values())));
    variables.add(variable("MUSTER_POD_FQDN", addresses.of(job, create.name())));
    if (job.getSpec().tasks() == null) {
      CopyArguments.add(variables, job, create.rank());
      return variables;
    }
    for (var task : TaskSpecMapper.tasks(job)) {
      var prefix = DiNames.pods(job, task.knownName()) + "-";
      var own =
          state.targets().getOrDefault(task.knownName(), List.of()).stream()
              .sorted()
              .map(index -> prefix + index)
              .toList();
      variables.add(variable(DiNames.nodesVariable(task.knownName()), listed(job, own)));
    }
    return variables;
  }

  private String listed(DIJob job, Iterable<String> pods) {
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
