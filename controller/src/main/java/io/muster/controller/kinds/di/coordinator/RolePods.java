package io.muster.controller.kinds.di.coordinator;

import static io.muster.controller.kinds.di.job.PodBody.variable;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServicePort;
import io.muster.controller.core.engine.Action;
import io.muster.controller.core.job.Job;
import io.muster.controller.framework.UnfitPodException;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.api.RoleTemplate;
import io.muster.controller.kinds.di.job.DiAddresses;
import io.muster.controller.kinds.di.job.DiNames;
import io.muster.controller.kinds.di.job.MainContainer;
import io.muster.controller.kinds.di.job.PodBody;
import io.muster.controller.kube.Marks;
import io.muster.controller.kube.OwnGang;
import io.muster.controller.kube.pod.HeadlessService;
import io.muster.extender.core.gang.GangKeys;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Pods of jobs with a coordinator, and the Service by which each of them is reached. Safe for
 * concurrent use.
 */
public final class RolePods {

  /** A PriorityClass that jobs name though hardly any cluster has it: taken for none. */
  private static final String NO_PRIORITY = "default";

  /** No node has so many; a template may say any number. */
  private static final BigDecimal MOST_GPUS_WITH_PORTS = BigDecimal.valueOf(1_000);

  private final DiAddresses addresses;
  private final Supplier<Optional<RoleTemplate>> aggregator;

  /**
   * @param aggregator what all jobs' aggregators are, as it is now
   */
  RolePods(DiAddresses addresses, Supplier<Optional<RoleTemplate>> aggregator) {
    this.addresses = addresses;
    this.aggregator = aggregator;
  }

  /**
   * Where a pod stands among those that were asked for together.
   *
   * @param part which pod of its set: 0 for the aggregator; 0 also where there is no set
   * @param master the first pod of its set that trains; empty for one that does not train in a set
   */
  private record Place(
      RoleKey key,
      Optional<WorkerRequest> request,
      String type,
      int part,
      Optional<String> master) {

    static Place of(Job roles, Map<Integer, WorkerRequest> requests, Action.Create create) {
      var key = RoleKey.read(create.role()).orElseThrow();
      var request = Optional.ofNullable(requests.get(key.request()));
      int size = request.map(WorkerRequest::podsOfLearner).orElse(1);
      int part = create.index() % size;
      return new Place(
          key,
          request,
          key.type(create.index(), size),
          part,
          part == 0
              ? Optional.empty()
              : Optional.of(roles.role(create.role()).podName(create.index() - part + 1)));
    }
  }

  /** Makes pods of that job; what it asks for is read once for all of them. */
  Function<Action.Create, Pod> of(DIJob job) {
    var roles = CoordinatorSpecMapper.job(job, List.of());
    var requests =
        WorkerRequests.of(job).requests().stream()
            .collect(Collectors.toMap(WorkerRequest::id, request -> request));
    return create -> make(job, Place.of(roles, requests, create), create);
  }

  private Pod make(DIJob job, Place place, Action.Create create) {
    var body = new PodBody(job, create.name(), template(job, place.type()));
    var spec = body.spec();
    var work = CoordinatorNames.work(place.type());
    MainContainer.givePort(spec, work, CoordinatorNames.port(work));
    place
        .request()
        .ifPresent(request ->
            resize(MainContainer.of(spec, work), request.resources(place.type(), place.part())));
    body.labelled(CoordinatorNames.labels(job, place.type(), create.name()))
        .annotated(
            Map.of(
                CoordinatorNames.ROLE,
                create.role(),
                CoordinatorNames.INDEX,
                Integer.toString(create.index())))
        .told(
            variables(
                job, create, place, MainContainer.port(spec, work, CoordinatorNames.port(work))));
    place
        .request()
        .ifPresent(request ->
            body.labelled(Map.of(CoordinatorNames.REQUEST_LABEL, Integer.toString(request.id())))
                .inGang(
                    Map.of(
                        GangKeys.NAME,
                        gang(job, request),
                        GangKeys.MIN,
                        Integer.toString(request.pods()))));
    if (place.key().kind() == RoleKey.Kind.SET && place.part() > 0) {
      body.labelled(
          Map.of(
              CoordinatorNames.DDP_LABEL,
              CoordinatorNames.DDP_LEARNER + (place.part() == 1 ? "-master" : "-worker")));
    }
    if (spec.getRestartPolicy() == null) {
      // Who ends comes back under another name, so that nobody takes it for who it was.
      spec.setRestartPolicy("Never");
    }
    priority(job).ifPresent(spec::setPriorityClassName);
    return body.made();
  }

  /** Those that were asked for together start together. */
  static String gang(DIJob job, WorkerRequest request) {
    return OwnGang.of(job) + "-" + request.id();
  }

  private PodTemplateSpec template(DIJob job, String type) {
    var spec = job.getSpec();
    var role =
        switch (type) {
          case CoordinatorNames.COORDINATOR -> spec.coordinator();
          case CoordinatorNames.COLLECTOR -> spec.collector();
          case CoordinatorNames.AGGREGATOR -> aggregator.get().orElse(null);
          default -> spec.learner();
        };
    return Optional.ofNullable(role)
        .map(RoleTemplate::template)
        .orElseThrow(() -> new UnfitPodException(missing(type)));
  }

  /** There is nothing to make a pod from: the job or the cluster has no template for it. */
  private static String missing(String type) {
    return type.equals(CoordinatorNames.AGGREGATOR)
        ? "there is no AggregatorConfig di-system/aggregator-config, which learners of several GPUs"
            + " need"
        : "the job has no spec.%s.template".formatted(type.replace("ddp-", ""));
  }

  private static Optional<String> priority(DIJob job) {
    return Optional.ofNullable(job.getSpec().priorityClassName())
        .filter(name -> !name.isEmpty() && !name.equals(NO_PRIORITY));
  }

  /** Both requested and the limit. */
  static void resize(Container main, Map<String, String> more) {
    if (more.isEmpty()) {
      return;
    }
    var before = Objects.requireNonNullElseGet(main.getResources(), ResourceRequirements::new);
    var requests = new HashMap<>(Objects.requireNonNullElse(before.getRequests(), Map.of()));
    var limits = new HashMap<>(Objects.requireNonNullElse(before.getLimits(), Map.of()));
    more.forEach((name, quantity) -> {
      requests.put(name, new Quantity(quantity));
      limits.put(name, new Quantity(quantity));
    });
    main.setResources(
        new ResourceRequirementsBuilder(before).withRequests(requests).withLimits(limits).build());
  }

  private List<EnvVar> variables(DIJob job, Action.Create create, Place place, int port) {
    var variables = new ArrayList<EnvVar>();
    var namespace = job.getMetadata().getNamespace();
    variables.add(variable("KUBERNETES_POD_NAMESPACE", namespace));
    variables.add(variable("KUBERNETES_POD_NAME", create.name()));
    variables.add(variable("KUBERNETES_SERVER_URL", addresses.firstServer()));
    var work = CoordinatorNames.work(place.type());
    variables.add(variable(work.toUpperCase(Locale.ROOT) + "_PORT", Integer.toString(port)));
    if (place.type().equals(CoordinatorNames.COORDINATOR)) {
      variables.add(
          variable(
              "KUBERNETES_COORDINATOR_URL", "%s.%s:%d".formatted(create.name(), namespace, port)));
    }
    if (place.type().equals(CoordinatorNames.DDP_LEARNER)) {
      addTraining(variables, place);
    }
    return variables;
  }

  /** How the pods of one learner train together: ranks go through their GPUs in order. */
  private static void addTraining(List<EnvVar> variables, Place place) {
    var split = place.request().orElseThrow().split();
    int before = split.subList(0, place.part() - 1).stream().mapToInt(Integer::intValue).sum();
    int all = split.stream().mapToInt(Integer::intValue).sum();
    variables.add(variable("WORLD_SIZE", Integer.toString(all)));
    variables.add(variable("LOCAL_WORLD_SIZE", Integer.toString(split.get(place.part() - 1))));
    variables.add(variable("START_RANK", Integer.toString(before)));
    variables.add(
        variable("MASTER_ADDR", place.part() == 1 ? "localhost" : place.master().orElseThrow()));
    variables.add(variable("MASTER_PORT", Integer.toString(CoordinatorNames.MASTER_PORT)));
  }

  /** The address of a pod; its name is the pod's. */
  Service service(DIJob job, Pod pod) {
    var type = CoordinatorNames.type(pod);
    var labels = CoordinatorNames.labels(job, type, pod.getMetadata().getName());
    var work = CoordinatorNames.work(type);
    int port = MainContainer.port(pod.getSpec(), work, CoordinatorNames.port(work));
    var ports = new ArrayList<ServicePort>();
    ports.add(HeadlessService.port(DiNames.MAIN_PORT, port));
    if (type.equals(CoordinatorNames.DDP_LEARNER)) {
      for (int gpu = 1; gpu < gpus(pod, type); gpu++) {
        ports.add(HeadlessService.port("gpu-port-" + gpu, port + gpu));
      }
      if (Marks.labels(pod).getOrDefault(CoordinatorNames.DDP_LABEL, "").endsWith("-master")) {
        ports.add(HeadlessService.port("master-port", CoordinatorNames.MASTER_PORT));
      }
    }
    return HeadlessService.of(job, pod.getMetadata().getName(), labels, ports);
  }

  /** GPUs of a pod, each of which has a port of its own, as far as any node has them. */
  public static int gpus(Pod pod, String type) {
    var work = CoordinatorNames.work(type);
    return Optional.ofNullable(MainContainer.of(pod.getSpec(), work).getResources())
        .map(ResourceRequirements::getLimits)
        .map(limits -> limits.get(WorkerRequest.GPU))
        .map(quantity -> quantity.getNumericalAmount().min(MOST_GPUS_WITH_PORTS).intValue())
        .orElse(0);
  }
}
