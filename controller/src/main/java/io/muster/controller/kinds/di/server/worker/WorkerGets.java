package io.muster.controller.kinds.di.server.worker;

import static java.util.Comparator.comparing;
import static java.util.Comparator.comparingInt;

import io.fabric8.kubernetes.api.model.Pod;
import io.muster.controller.kinds.di.api.DIJob;
import io.muster.controller.kinds.di.coordinator.CoordinatorNames;
import io.muster.controller.kinds.di.coordinator.PodUrls;
import io.muster.controller.kinds.di.coordinator.Workers;
import io.muster.controller.kinds.di.coordinator.Workers.Kind;
import io.muster.controller.kinds.di.server.call.Access;
import io.muster.controller.kinds.di.server.call.Call;
import io.muster.controller.kinds.di.server.call.Caller;
import io.muster.controller.kinds.di.server.call.DiReply;
import io.muster.controller.kinds.di.server.call.DiView;
import io.muster.controller.kinds.di.server.call.Query;
import io.muster.controller.kinds.di.server.call.RefusedException;
import io.muster.controller.kube.Marks;
import io.muster.controller.kube.pod.PodEnds;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Who asks which workers there are; coordinators do so once a second. Only those that are ready are
 * told: a coordinator would wait for any other. Safe for concurrent use.
 */
public final class WorkerGets {

  private static final String DONE = "successfully get replicas";
  private static final String NAMESPACE = "namespace";
  private static final String COORDINATOR = "coordinator";
  private static final String AGGREGATOR = "aggregator";
  private static final String NAME = "name";
  private static final List<String> KEYS = List.of(NAMESPACE, COORDINATOR, AGGREGATOR, NAME);

  private final DiView view;
  private final Lookup lookup;

  public WorkerGets(DiView view, DiStore store) {
    this.view = view;
    this.lookup = new Lookup(view, store);
  }

  public DiReply get(Call call, Caller caller) {
    var query = Query.read(call.query(), KEYS);
    var namespace = Optional.ofNullable(query.get(NAMESPACE));
    if (namespace.isEmpty()) {
      if (!query.isEmpty()) {
        throw RefusedException.malformed("namespace is missing; add it to the query");
      }
      return DiReply.done(DONE, all(caller));
    }
    return of(namespace.get(), query, caller);
  }

  private DiReply of(String namespace, Map<String, String> query, Caller caller) {
    if (query.containsKey(NAME)) {
      return DiReply.done(DONE);
    } else if (query.containsKey(COORDINATOR)) {
      var found = lookup.coordinator(namespace, query.get(COORDINATOR), caller);
      return DiReply.done(DONE, urls(found.job(), query.get(COORDINATOR)));
    } else if (query.containsKey(AGGREGATOR)) {
      caller.requireNamespace(namespace);
      return DiReply.done(DONE, behind(lookup.pod(namespace, query.get(AGGREGATOR)), caller));
    } else if (!caller.maySee(namespace)) {
      throw RefusedException.forbidden(
          "you may not see all jobs of namespace %s; name the coordinator, or %s"
              .formatted(namespace, Access.REMEDY));
    }
    return DiReply.done(DONE, those(job -> namespace.equals(job.getMetadata().getNamespace())));
  }

  private List<DiReply.Urls> all(Caller caller) {
    if (caller instanceof Caller.OfJob) {
      throw RefusedException.forbidden(
          "you may not see the jobs of all namespaces; name namespace and coordinator");
    }
    return those(job -> caller.maySee(job.getMetadata().getNamespace()));
  }

  /** Those whose coordinator is there. */
  private List<DiReply.Urls> those(Predicate<DIJob> which) {
    return view.jobs().stream()
        .filter(job -> job.getSpec() != null && job.getSpec().coordinator() != null)
        .filter(which)
        .sorted(comparing(Waits::key))
        .filter(job ->
            view.pod(job.getMetadata().getNamespace(), CoordinatorNames.coordinator(job))
                .isPresent())
        .map(job -> urls(job, CoordinatorNames.coordinator(job)))
        .toList();
  }

  private DiReply.Urls urls(DIJob job, String coordinator) {
    return new DiReply.Urls(
        job.getMetadata().getNamespace(),
        coordinator,
        ready(job, Kind.COLLECTOR).map(PodUrls::ofService).toList(),
        Stream.concat(ready(job, Kind.LEARNER), ready(job, Kind.AGGREGATOR))
            .map(PodUrls::ofService)
            .toList());
  }

  /** The processes of the pods behind an aggregator, which asks for them. */
  private DiReply.Urls behind(Pod aggregator, Caller caller) {
    var name = aggregator.getMetadata().getName();
    var job = lookup.jobOf(aggregator);
    caller.require(job);
    if (Kind.of(aggregator).filter(Kind.AGGREGATOR::equals).isEmpty()) {
      throw RefusedException.notFound("pod %s is no aggregator".formatted(name));
    }
    return new DiReply.Urls(
        job.getMetadata().getNamespace(),
        name,
        List.of(),
        ready(job, Kind.DDP_LEARNER)
            .filter(pod -> Workers.areOneSet(job, aggregator, pod))
            .flatMap(pod -> PodUrls.ofProcesses(pod).stream())
            .toList());
  }

  private Stream<Pod> ready(DIJob job, Kind kind) {
    return view.pods(job).stream()
        .filter(pod -> Kind.of(pod).filter(kind::equals).isPresent())
        .filter(PodEnds::isReady)
        .sorted(comparingInt(WorkerGets::request).thenComparingInt(WorkerGets::index));
  }

  private static int request(Pod pod) {
    return number(Marks.labels(pod).get(CoordinatorNames.REQUEST_LABEL));
  }

  private static int index(Pod pod) {
    return number(Marks.annotations(pod).get(CoordinatorNames.INDEX));
  }

  private static int number(String text) {
    return text != null && text.matches("[0-9]{1,9}") ? Integer.parseInt(text) : 0;
  }
}
